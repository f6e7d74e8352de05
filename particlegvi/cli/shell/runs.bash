_particlegvi_runs() {
    local folder
    for folder in "$1"*/ runs/"$1"*/; do
        [ -f "${folder}manifest.json" ] && printf "%s\n" "${folder%/}"
    done
}
