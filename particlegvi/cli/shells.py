"""Completion scripts for bash, zsh and fish, from one description. They are static: a TAB runs no Python."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import NamedTuple

INSTALL = {
    "bash": 'eval "$(particlegvi completion bash)"      # in ~/.bashrc',
    "zsh": 'eval "$(particlegvi completion zsh)"       # in ~/.zshrc, after compinit',
    "fish": "particlegvi completion fish > ~/.config/fish/completions/particlegvi.fish",
}


class Place(NamedTuple):
    """The values of a place of a command line: words, folders of runs, files; with ``ends`` a space follows a word."""

    words: tuple[str, ...] = ()
    runs: bool = False
    files: bool = False
    ends: bool = True


class Shape(NamedTuple):
    """The arguments of a command: those without a name, and by option its help and its value (None: it has none)."""

    purpose: str
    positional: Place
    options: dict[str, tuple[str, Place | None]]


Grammar = dict[str, Shape]


def script(shell: str, grammar: Grammar) -> str:
    """The script of a shell, whose first line says how to install it."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return f"# particlegvi completion for {shell}. To install it: {INSTALL[shell]}\n{write(grammar)}"


def _bash(grammar: Grammar) -> str:
    lines = [
        "_particlegvi_runs() {",  # folders with a manifest, and those that may hold one
        "    local folder",
        '    for folder in "$1"*/ runs/"$1"*/; do',
        '        [ -f "${folder}manifest.json" ] && printf "%s\\n" "${folder%/}"',
        "    done",
        "}",
        "_particlegvi() {",
        '    local now="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}"',
        "    local words= runs= files= option",
        '    [ "$now" = "=" ] && now=',
        "    if [ $COMP_CWORD -eq 1 ]; then",
        f"        words={_quoted(grammar)}",
        "    else",
        '        case "$command $before" in',
    ]
    for name, shape in grammar.items():
        lines += [
            f"        {_case(f'{name} {option}')}) option=1 {_set(place)} ;;"
            for option, (_, place) in shape.options.items()
            if place is not None
        ]
    lines += ["        esac", '        if [ -z "$option" ]; then', '            case "$command" in']
    for name, shape in grammar.items():
        flags = f'case "$now" in -*) words={_quoted(shape.options)} ;; *) {_set(shape.positional)} ;; esac'
        lines.append(f"            {_case(name)}) {flags} ;;")
    lines += [
        "            esac",
        "        fi",
        "    fi",
        "    local IFS=$'\\n'",
        '    COMPREPLY=( $(compgen -W "${words// /$IFS}" -- "$now") )',
        '    [ -n "$runs" ] && COMPREPLY+=( $(_particlegvi_runs "$now") )',
        '    [ -n "$files" ] && COMPREPLY+=( $(compgen -f -- "$now") )',
        '    case "${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac',
        "    return 0",
        "}",
        "complete -o filenames -F _particlegvi particlegvi",
    ]
    return "\n".join(lines) + "\n"


def _case(text: str) -> str:
    return shlex.quote(text)


def _quoted(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _set(place: Place) -> str:
    """Shell variables for a place, for bash."""
    kinds = [name for name, there in (("runs=1", place.runs), ("files=1", place.files)) if there]
    return " ".join([f"words={_quoted(place.words)}", *kinds])


def _zsh(grammar: Grammar) -> str:
    lines = [
        "_particlegvi_place() {",
        "    local -a manifests=( */manifest.json(N) runs/*/manifest.json(N) )",
        '    [[ "$1" == *r* && $#manifests -gt 0 ]] && compadd -- "${manifests[@]%/manifest.json}"',
        '    [[ "$1" == *f* ]] && _files',
        "    return 0",
        "}",
        "_particlegvi() {",
        '    local now="$words[CURRENT]" before="$words[CURRENT-1]" command="$words[2]"',
        "    if (( CURRENT == 2 )); then",
        "        local -a commands=(",
        *(f"            {shlex.quote(f'{name}:{shape.purpose}')}" for name, shape in grammar.items()),
        "        )",
        "        _describe command commands",
        "        return",
        "    fi",
        '    case "$command $before" in',
    ]
    for name, shape in grammar.items():
        for option, (_, place) in shape.options.items():
            if place is not None:
                lines.append(f"    {_case(f'{name} {option}')}) {_add(place)}; return ;;")
    lines += ["    esac", '    case "$command" in']
    for name, shape in grammar.items():
        flags = " ".join(map(shlex.quote, shape.options))
        otherwise = _add(shape.positional)
        lines.append(f"    {_case(name)}) if [[ $now == -* ]]; then compadd -- {flags}; else {otherwise}; fi ;;")
    lines += ["    esac", "}", "compdef _particlegvi particlegvi"]
    return "\n".join(lines) + "\n"


def _add(place: Place) -> str:
    """The line that adds the words of a place, for zsh."""
    words = " ".join(map(shlex.quote, place.words))
    add = f"compadd {'' if place.ends else '-S ' + chr(39) * 2 + ' '}-- {words}" if words else ":"
    return f"{add}; _particlegvi_place {'r' * place.runs}{'f' * place.files}-"


def _fish(grammar: Grammar) -> str:
    lines = [
        "function __particlegvi_runs",
        "    for folder in */ runs/*/",
        '        test -f "$folder/manifest.json"; and string trim -r -c / -- $folder',
        "    end",
        "end",
        "complete -c particlegvi -f",
    ]
    for name, shape in grammar.items():
        lines.append(f"complete -c particlegvi -n __fish_use_subcommand -a {name} -d {_for_fish(shape.purpose)}")
        seen = f"complete -c particlegvi -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{seen}{given}" for given in _given(shape.positional)]
        for option, (told, place) in shape.options.items():
            what = f"{seen} -l {option.removeprefix('--')} -d {_for_fish(told)}"
            lines += [what] if place is None else [f"{what} -r{given}" for given in _given(place) or [" -f"]]
    return "\n".join(lines) + "\n"


def _given(place: Place) -> list[str]:
    """The ends of fish's lines for a place."""
    ends = [f" -a {_for_fish(' '.join(place.words))}"] if place.words else []
    ends += [" -a '(__particlegvi_runs)'"] if place.runs else []
    return ends + ([" -F"] if place.files and not place.words and not place.runs else [])


def _for_fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
