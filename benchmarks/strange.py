"""Runs the program in strange surroundings, one line for each: locales, paths, limits, clocks, caches, terminals.

    python benchmarks/strange.py             # every case; some ten minutes on two cores
    python benchmarks/strange.py umask path  # the cases whose names contain one of these words

A case is a line of bash in an empty folder with the file ``small.toml``; ``$run`` is the command, ``$py`` the
interpreter. The case holds if it ends with 0 and the folder has the bytes of the same run in ordinary surroundings, or
if it ends with another code and at most three lines on stderr, none of them a traceback. Root passes all permissions,
so that cases about permissions need another user.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 120
SCENARIO = """
name = "small"
loss = "quadratic"
prior = { name = "normal" }
particles = 20
steps = 40
step_size = 0.01
[methods.DLE]
kl_weight = 0.5
"""
A = "a" * 255
DEEP = "/".join(["d" * 200] * 21)
CASES = {
    # names of folders: the run goes to "$O"
    "path with spaces at both ends": 'O=" o " && $run --out "$O"',
    "path of emoji": 'O=🦀 && $run --out "$O"',
    "path from right to left": 'O=מסלול && $run --out "$O"',
    "path with a newline": 'O=$(printf "a\\nb") && $run --out "$O"',
    "path with escape codes": 'O=$(printf "\\033[31mred") && $run --out "$O"',
    "path that begins with a hyphen": "O=./-o && $run --out=-o",
    "path of a quote": 'O="it\'s" && $run --out "$O"',
    "path of a backslash": "O='a\\b' && $run --out \"$O\"",
    "path of a percent sign": 'O="%s%n" && $run --out "$O"',
    "path of braces": 'O="{name}" && $run --out "$O"',
    "path of a star": 'O="*" && $run --out "$O"',
    "path of bytes that are no text": 'O=$(printf "\\377\\376") && $run --out "$O"',
    "path of a combining accent": 'O=$(printf "e\\u0301") && $run --out "$O"',
    "path of a zero-width joiner": 'O=$(printf "a\\u200db") && $run --out "$O"',
    "path of 255 bytes": f'O={A} && $run --out "$O"',
    "path of 256 bytes": f"$run --out {A}a",
    "path of 4,200 bytes": f"$run --out {DEEP}",
    "path of 3,900 bytes": f'O={DEEP[:3900].rstrip("/")} && $run --out "$O"',
    "path to /dev/null": "$run --out /dev/null",
    "path below a file": "$run --out small.toml/o",
    "path of two dots": "mkdir in && cd in && cp ../small.toml . && $run --out ../../$(basename $PWD)/../o; O=../o",
    "path that is a dangling link": "ln -s nowhere o && $run --out o",
    "path that is a link to itself": "ln -s o o && $run --out o",
    "path that is a link to a folder": "mkdir real && ln -s real o && $run --out o/x && O=real/x",
    "path that is a pipe": "mkfifo o && $run --out o",
    "path in a folder that cannot be written": "mkdir ro && chmod 555 ro && $run --out ro/o && O=ro/o",
    "path in /proc": "$run --out /proc/o",
    "path in /sys": "$run --out /sys/o",
    "scenario from standard input": "$py -m particlegvi run /dev/stdin --quiet --out o < small.toml",
    "scenario from a pipe": "$py -m particlegvi run <(cat small.toml) --quiet --out o",
    "scenario that is a folder": "$py -m particlegvi run . --quiet --out o",
    "scenario without an end of line": 'printf "%s" "$(cat small.toml)" > s.toml && cp s.toml small.toml && $run --out o',
    "scenario with carriage returns": "sed -i 's/$/\\r/' small.toml && $run --out o",
    "scenario in UTF-16": "iconv -t UTF-16 small.toml > s && cp s small.toml && $run --out o",
    "scenario in latin 1": "printf '# \\344\\n' >> small.toml && $run --out o",
    "scenario with a NUL": "printf '\\0' >> small.toml && $run --out o",
    "scenario of mode 000": "chmod 000 small.toml && $run --out o",
    "scenario whose name is a keyword": "cp small.toml global-minimiser && $py -m particlegvi run ./global-minimiser --quiet --out o",
    # the environment
    "locale C": "LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 $run --out o",
    "locale C and a path of emoji": 'O=🦀 && LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 $run --out "$O"',
    "locale that does not exist": "LC_ALL=xx_YY.UTF-8 $run --out o",
    "locale with a decimal comma": "LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE $run --out o",
    "output in ascii": "PYTHONIOENCODING=ascii $py -m particlegvi run small.toml --out o",
    "output in UTF-16": "PYTHONIOENCODING=utf-16 $py -m particlegvi run small.toml --out o",
    "time zone of garbage": "TZ=':::garbage' $run --out o",
    "time zone a day ahead": "TZ=UTC-24 $run --out o",
    "umask 0777": "umask 0777; $run --out o",
    "umask 0": "umask 0; $run --out o",
    "umask 0277": "umask 0277; $run --out o",
    "no HOME": "unset HOME; $run --out o",
    "HOME that does not exist": "HOME=/nowhere $run --out o",
    "HOME of garbage without XDG_CACHE_HOME": "unset XDG_CACHE_HOME; HOME='' $run --out o",
    "HOME that is relative": "unset XDG_CACHE_HOME; HOME=home $run --out o",
    "no environment": "env -i OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE $py -m particlegvi run small.toml --quiet --out o",
    "no PATH": "PATH= $py -m particlegvi run small.toml --quiet --out o",
    "no TERM": "unset TERM; $py -m particlegvi run small.toml --out o",
    "dumb TERM": "TERM=dumb $py -m particlegvi run small.toml --out o",
    "COLUMNS of 0": "COLUMNS=0 $py -m particlegvi run small.toml --out o",
    "COLUMNS of 1": "COLUMNS=1 $py -m particlegvi run small.toml --out o",
    "COLUMNS of garbage": "COLUMNS=wide LINES=-3 $py -m particlegvi run small.toml --out o",
    "TMPDIR that does not exist": "TMPDIR=/nowhere $run --out o",
    "MPLBACKEND of garbage": "MPLBACKEND=garbage $run --out o",
    "MPLCONFIGDIR that cannot be written": "MPLCONFIGDIR=/proc/nowhere $run --out o",
    "hash seeds": "PYTHONHASHSEED=1 $run --out o",
    "without assertions": "PYTHONOPTIMIZE=1 $run --out o",
    "without docstrings": "PYTHONOPTIMIZE=2 $run --out o",
    "warnings are errors": "PYTHONWARNINGS=error $run --out o",
    "no byte code": "PYTHONDONTWRITEBYTECODE=1 $run --out o",
    "short integers as texts": "PYTHONINTMAXSTRDIGITS=640 $run --out o",
    "development mode": "PYTHONDEVMODE=1 $run --out o",
    "isolated mode": "$py -I -m particlegvi run small.toml --quiet --out o",
    "SOURCE_DATE_EPOCH of garbage": "SOURCE_DATE_EPOCH=soon $run --out o",
    "sitecustomize that prints": "echo 'print(1)' > sitecustomize.py && PYTHONPATH=.:$PYTHONPATH $run --out o",
    # numba
    "numba optimises nothing": "XDG_CACHE_HOME=$PWD/c NUMBA_OPT=0 $run --out o",
    "numba for a generic processor": "XDG_CACHE_HOME=$PWD/c NUMBA_CPU_NAME=generic $run --out o",
    "numba without vectors": "XDG_CACHE_HOME=$PWD/c NUMBA_LOOP_VECTORIZE=0 NUMBA_SLP_VECTORIZE=0 $run --out o",
    "numba without AVX": "XDG_CACHE_HOME=$PWD/c NUMBA_ENABLE_AVX=0 $run --out o",
    "numba checks bounds": "XDG_CACHE_HOME=$PWD/c NUMBA_BOUNDSCHECK=1 $run --out o",
    "numba compiles nothing": "NUMBA_DISABLE_JIT=1 $run --out o",
    "numba with its own cache folder": "NUMBA_CACHE_DIR=$PWD/n $run --out o",
    "parts from a pipe": "mkfifo p.py && $run --parts p.py --out o",
    "numba with no thread": "NUMBA_NUM_THREADS=0 $run --out o",
    "numba with threads of garbage": "NUMBA_NUM_THREADS=many $run --out o",
    "OMP threads of garbage": "OMP_NUM_THREADS=many OPENBLAS_NUM_THREADS=-1 $run --out o",
    # the cache
    "cache is a link": "mkdir real && ln -s real c && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache is a dangling link": "ln -s nowhere c && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache is a file": "touch c && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache is relative": "XDG_CACHE_HOME=c $run --out o",
    "cache is empty text": "XDG_CACHE_HOME= $run --out o",
    "cache has a newline": 'XDG_CACHE_HOME="$PWD/$(printf "a\\nb")" $run --out o',
    "cache of emoji": "XDG_CACHE_HOME=$PWD/🦀 $run --out o",
    "cache of 255 bytes": f"XDG_CACHE_HOME=$PWD/{A} $run --out o",
    "cache of 4,200 bytes": f"XDG_CACHE_HOME=$PWD/{DEEP} $run --out o",
    "cache in /proc": "XDG_CACHE_HOME=/proc/c $run --out o",
    "cache that cannot be read": "mkdir c && chmod 000 c && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache whose folder is a file": "mkdir c && touch c/particlegvi && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache with files from the future": "cp -r $XDG_CACHE_HOME c && find c -exec touch -d 2099-01-01 {} + && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache with files from 1970": "cp -r $XDG_CACHE_HOME c && find c -exec touch -d @0 {} + && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache whose files are empty": "cp -r $XDG_CACHE_HOME c && find c -type f -exec truncate -s 0 {} + && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache whose files end early": "cp -r $XDG_CACHE_HOME c && find c -type f -exec truncate -s 100 {} + && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache whose bytes are swapped": "cp -r $XDG_CACHE_HOME c && for f in $(find c -name '*.nbc' | head -40); do printf XXXX | dd of=$f bs=1 seek=2000 conv=notrunc 2>/dev/null; done; XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache that cannot be executed": "cp -r $XDG_CACHE_HOME c && find c -type f -exec chmod 000 {} + && XDG_CACHE_HOME=$PWD/c $run --out o",
    "cache on a disk that executes nothing": 'mkdir c && XDG_CACHE_HOME=$PWD/c unshare -rm bash -c "mount -t tmpfs -o noexec tmpfs c && $run --out p && $run --out o"',
    "results on a disk that executes nothing": 'mkdir n && unshare -rm bash -c "mount -t tmpfs -o noexec tmpfs n && $run --out n/o && $py -m particlegvi resume n/o && cp -r n/o o"',
    # streams
    "standard input closed": "$run --out o <&-",
    "standard output closed": "$py -m particlegvi run small.toml --out o >&-",
    "standard error closed": "$py -m particlegvi run small.toml --out o 2>&-",
    "all streams closed": "$py -m particlegvi run small.toml --out o <&- >&- 2>&-",
    "standard output full": "$py -m particlegvi run small.toml --out o > /dev/full",
    "standard error full": "$py -m particlegvi run small.toml --out o 2> /dev/full",
    "a reader that leaves": "$py -m particlegvi run small.toml --out o | head -c 1",
    "list to a reader that leaves": "$py -m particlegvi list | head -n 1; exit ${PIPESTATUS[0]}",
    "list to a full device": "$py -m particlegvi list > /dev/full",
    "help to a full device": "$py -m particlegvi --help > /dev/full",
    "verify to a full device": "$py -m particlegvi verify strict-convexity --json > /dev/full",
    "doctor to a closed output": "$py -m particlegvi doctor >&-",
    # limits
    "files of at most 1 kB": "ulimit -f 1; $run --out o",
    "8 open files": "ulimit -n 8; $run --out o",
    "10 open files": "ulimit -n 10; $run --out o",
    "20 open files": "ulimit -n 20; $run --out o",
    "64 open files": "ulimit -n 64; $run --out o",
    "300 MB of addresses": "ulimit -v 300000; $run --out o",
    "2 GB of addresses": "ulimit -v 2000000; $run --out o",
    "stack of 256 kB": "ulimit -s 256; $run --out o",
    "unlimited stack": "ulimit -s unlimited; $run --out o",
    "no core, no locks": "ulimit -c 0 -l 0; $run --out o",
    "1 second of processor time": "ulimit -t 1; $run --out o",
    "lowest priority": "nice -n 19 $run --out o",
    "one processor": "taskset -c 0 $run --out o",
    # the working folder
    "folder deleted": "S=$PWD/small.toml O=$PWD/o; mkdir gone && cd gone && rmdir ../gone && $py -m particlegvi run $S --quiet --out $O",
    "folder deleted and a relative path": "S=$PWD/small.toml; mkdir gone && cd gone && rmdir ../gone && $py -m particlegvi run $S --quiet --out o",
    "folder that cannot be written": "mkdir ro && cp small.toml ro && chmod 555 ro && cd ro && $run --out ../o; r=$?; cd ..; exit $r",
    # signals and companions
    "hangup is ignored": "trap '' HUP; $run --out o",
    "all signals are ignored": "trap '' INT TERM HUP PIPE; $run --out o",
    "two runs into one folder": "$run --out o & $run --out o 2> other; r=$?; wait $!; s=$?; [ $r = 0 ] || [ $s = 0 ]",
    "two runs with one new cache": "export XDG_CACHE_HOME=$PWD/c; $run --out p & $run --out o; r=$?; wait $!; exit $r",
    "a run twice": "$run --out o && $run --out o",
    "resume of a finished run": "$run --out o && $py -m particlegvi resume o",
    "resume of a copy": "$run --out p && cp -r p o && $py -m particlegvi resume o",
    "resume where all times are 1970": "$run --out o && find o -exec touch -d @0 {} + && $py -m particlegvi resume o",
    "resume where all times are 2099": "$run --out o && find o -exec touch -d 2099-01-01 {} + && $py -m particlegvi resume o",
    "resume of a read-only run": "$run --out o && chmod -R a-w o && $py -m particlegvi resume o; r=$?; chmod -R u+w o; exit $r",
    "resume of a folder that is none": "mkdir p && $py -m particlegvi resume p",
    "plot of a run": "$run --out o && $py -m particlegvi plot o",
    "a reader of stderr that leaves": "$py -m particlegvi run small.toml --out o 2> >(head -c 1)",
}


def digest(folder: Path) -> str:
    """Of all results of a run: its arrays and its summary."""
    text = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and (path.suffix == ".npy" or path.name == "summary.json"):
            text.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return text.hexdigest()


def tried(line: str, folder: Path) -> tuple[int, str, str]:
    """Exit code, stderr, and the digest of the folder in which a line wrote ("" if there is none)."""
    (folder / "small.toml").write_text(SCENARIO)
    run = f"{sys.executable} -m particlegvi run small.toml --quiet"
    leave = f"r=$?; printf '%s\\0' \"$O\" > {folder}/.where; exit $r"  # the line may have chosen another folder
    script = f"O=o; py={sys.executable}; run='{run}'\nleave() {{ {leave}; }}\ntrap leave EXIT\n{line}"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, timeout=SECONDS, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return -1, f"more than {SECONDS} s", ""
    where = (folder / ".where").read_bytes().rstrip(b"\0") if (folder / ".where").exists() else b"o"
    subprocess.run(["chmod", "-R", "u+rwX", str(folder)], capture_output=True)
    out = Path(os.fsdecode(os.path.join(os.fsencode(folder), where)))
    try:
        return done.returncode, done.stderr, digest(out) if out.is_dir() else ""
    except OSError as error:
        return done.returncode, f"{done.stderr}\n{error}", ""


def verdict(name: str, code: int, error: str, found: str, right: str) -> str:
    """The fault of an outcome, in a few words; "" if it holds."""
    lines = [line for line in error.splitlines() if line.strip()]
    if "Traceback" in error or "Exception ignored" in error:
        return "traceback"
    if code in (-1, 124):
        return "too long"
    if code < 0 or code > 128:
        return "" if "processor time" in name else f"killed by signal {code}"
    if code == 0:
        has_run = "--out" in CASES[name] or found
        return "" if found == right or not has_run or "list to" in name else "other bytes" if found else "no bytes"
    return "" if 1 <= len(lines) <= 3 else f"{len(lines)} lines on stderr"


def main() -> int:
    wanted = [name for name in CASES if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    with tempfile.TemporaryDirectory() as made:
        first = Path(made) / "first"
        first.mkdir()
        *_, right = tried("$run --out o", first)
        assert right
        fell = 0
        for number, name in enumerate(wanted):
            folder = Path(made) / str(number)
            folder.mkdir()
            begun = time.perf_counter()
            code, error, found = tried(CASES[name], folder)
            fault = verdict(name, code, error, found, right)
            fell += bool(fault)
            said = " | ".join(error.strip().splitlines()[-3:])[:300]
            seconds = time.perf_counter() - begun
            print(f"{'FELL' if fault else 'held'}  {name}: {fault or code} ({seconds:.1f} s) {said}", flush=True)
    print(f"{len(wanted)} tried, {len(wanted) - fell} held, {fell} fell")
    return int(fell > 0)


if __name__ == "__main__":
    sys.exit(main())
