_particlegvi() {
    local each words=() now="${COMP_WORDS[COMP_CWORD]#=}"
    for (( each = 0; each < COMP_CWORD; each++ )); do
        if [ "${COMP_WORDS[each]}" != "=" ]; then
            words+=("${COMP_WORDS[each]}")
        elif [[ "${COMP_WORDS[each-1]}" != -* ]]; then
            (( each += 1 ))
        fi
    done
    local COMP_WORDS=("${words[@]}" "$now") COMP_CWORD=${#words[@]}
    _shtab_particlegvi
    case "${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -F _particlegvi particlegvi
