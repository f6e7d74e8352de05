_particlegvi_runs() {
    local -a manifests=( */manifest.json(N) runs/*/manifest.json(N) )
    compadd "$@" -- "${manifests[@]%/manifest.json}"
}
