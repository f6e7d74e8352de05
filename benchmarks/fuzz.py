"""Feeds the formula parser and every loader a million hostile inputs and records what they answer.

    python benchmarks/fuzz.py --inputs 1000000        # writes benchmarks/fuzz.json; some ten minutes

An input is answered well if it is accepted or refused with a ``ValueError`` of a few lines, within a second, and if
nothing happened meanwhile but reading the input itself: Python's audit events would show a file opened elsewhere, a
process, an import, or code compiled from text.

Inputs are mutations of good ones. With ``atheris`` installed (``pip install atheris``) coverage of the package's
lines guides them; otherwise an input that is answered in a new way joins those that are mutated. The tests do the
latter with a few thousand inputs. Both repeat themselves for the same seed.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SLOWEST_ALLOWED = 1.0  # seconds
LONGEST_ANSWER = 1200  # characters, the path of the file included
FORBIDDEN = re.compile(
    r"open|compile|exec|import|pickle|marshal|socket|subprocess|shutil|tempfile|ctypes|code\.__new__|pty|urllib|glob$"
    r"|os\.(?!listdir|scandir|walk|putenv)"
)


class Target(NamedTuple):
    """One thing that is fed: how it is prepared in a folder, good inputs, words to put in, its share of a million, and
    the longest input that is made.

    ``prepare(folder)`` gives a function of the input; what it does before ``watch()`` is not watched.
    """

    prepare: Callable[[Path], Callable[[bytes, Watch], Any]]
    seeds: Callable[[Path], list[bytes]]
    words: list[bytes]
    share: float
    longest: int


class Watch:
    """Sees everything the interpreter does while an input is answered (an audit hook, which stays for good)."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)
        self.active = False
        self.seen: list[str] = []
        sys.addaudithook(self._event)

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active or not FORBIDDEN.match(event):
            return
        if event == "open":
            path, mode, flags = arguments
            writes = bool((flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND))
            inside = str(path).startswith((self.folder, str(ROOT / "scenarios"), "/proc/meminfo", "/sys/fs/cgroup/"))
            if inside and not writes:
                return
        # inspect.signature parses the empty signature of a class without __init__ as this constant of its own
        if event == "compile" and arguments[0] == b"def foo(): pass":
            return
        self.seen.append(f"{event} {arguments!r}"[:200])

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        self.active = True
        try:
            yield
        finally:
            self.active = False


class Tally:
    """What became of the inputs of one target."""

    def __init__(self) -> None:
        self.inputs = self.accepted = self.refused = 0
        self.slowest, self.slowest_input = 0.0, b""
        self.wrong: list[dict[str, str]] = []

    def feed(self, answer: Callable[[bytes, Watch], Any], data: bytes, watch: Watch) -> str:
        """Feed one input; a word for the way in which it was answered."""
        before = len(watch.seen)
        begun = time.perf_counter()
        try:
            answer(data, watch)
            way = "accepted"
            self.accepted += 1
        except ValueError as error:
            way = str(error)
            self.refused += 1
            if type(error) is UnicodeEncodeError or not way or way.count("\n") > 2 or len(way) > LONGEST_ANSWER:
                self.note("answer", data, f"{type(error).__name__}: {way[:300]}")
        except Exception as error:
            way = type(error).__name__
            self.note("error", data, f"{way}: {error}")
        seconds = time.perf_counter() - begun
        self.inputs += 1
        if seconds > self.slowest:
            self.slowest, self.slowest_input = seconds, data
        if seconds > SLOWEST_ALLOWED:
            self.note("slow", data, f"{seconds:.2f} s")
        if len(watch.seen) > before:
            self.note("touched", data, watch.seen[-1])
        return re.sub(r"\d+|\"[^\"]*\"|'[^']*'|/\S+|\n.*", "", way)[:120]

    def note(self, kind: str, data: bytes, what: str) -> None:
        if len(self.wrong) < 200:
            self.wrong.append({"kind": kind, "what": what[:400], "input": data[:400].decode("latin-1")})

    def report(self, engine: str) -> dict[str, Any]:
        return {
            "engine": engine,
            "inputs": self.inputs,
            "accepted": self.accepted,
            "refused": self.refused,
            "slowest_seconds": round(self.slowest, 4),
            "slowest_input": self.slowest_input[:200].decode("latin-1"),
            "wrong": self.wrong,
        }


# What is fed ---------------------------------------------------------------------------------------------------------


def warm_up() -> None:
    """Load what the package loads only when it answers a bad name, or meets a kind of scenario for the first time."""
    from particlegvi import catalogue
    from particlegvi.quoting import shown
    from particlegvi.registry import nearest
    from particlegvi.scenario import load
    from particlegvi.scenario.building import build

    nearest("warm", [shown("\0")])
    for name in catalogue.names():
        with contextlib.suppress(ValueError):
            build(load(name))


def formulas(folder: Path) -> Callable[[bytes, Watch], Any]:
    import numpy as np

    from particlegvi.engine import evaluate
    from particlegvi.formulas import compile_formula

    points = np.array([[0.3, -1.2], [2.0, 1e300], [0.0, -0.0]])

    def answer(data: bytes, watch: Watch) -> None:
        text = data.decode("utf-8", "surrogateescape")
        with watch():
            term = compile_formula(text, ["t", "x"])
            with np.errstate(all="ignore"):
                assert evaluate.values(term, points).shape == (3,)
                assert evaluate.gradients(term, points).shape == (3, 2)

    answer(b"t + x*sin(t)", Watch(folder))
    return answer


def scenario_files(folder: Path) -> Callable[[bytes, Watch], Any]:
    from particlegvi import scenario
    from particlegvi.scenario.building import build

    place = folder / "fed.toml"

    def answer(data: bytes, watch: Watch) -> None:
        place.write_bytes(data)
        with watch(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settings = scenario.load(place)
            build(settings)
            assert scenario.text(settings)

    return answer


def settings(folder: Path) -> Callable[[bytes, Watch], Any]:
    from particlegvi import scenario
    from particlegvi.scenario.building import build

    def answer(data: bytes, watch: Watch) -> None:
        argument = data.decode("utf-8", "surrogateescape")
        with watch():
            build(scenario.load("multimodal", dict([scenario.setting(argument)])))

    return answer


def arrays(folder: Path) -> Callable[[bytes, Watch], Any]:
    import numpy as np

    from particlegvi.results.arrays import read_array

    place = folder / "fed.npy"

    def answer(data: bytes, watch: Watch) -> None:
        place.write_bytes(data)
        with watch():
            found = read_array(place, np.float64, 3)
        assert found.nbytes <= len(data)

    return answer


def json_files(folder: Path) -> Callable[[bytes, Watch], Any]:
    from particlegvi.files import read_json

    place = folder / "fed.json"

    def answer(data: bytes, watch: Watch) -> None:
        place.write_bytes(data)
        with watch():
            read_json(place)

    return answer


def run_folders(folder: Path) -> Callable[[bytes, Watch], Any]:
    """One file of a folder is replaced: of a finished run, which is loaded, or of one that was interrupted."""
    from particlegvi import resume
    from particlegvi.results import checkpoint, load

    good, stopped = _run(folder), _interrupted(folder)
    places = [run / name for run in (good, stopped) for name in _files(run)]

    def answer(data: bytes, watch: Watch) -> None:
        place = places[data[0] % len(places)] if data else places[0]
        before = place.read_bytes()
        place.write_bytes(data[1:])
        try:
            if place.is_relative_to(good):
                with watch():
                    load(good).describe()
            else:
                with watch():
                    found = checkpoint.read(stopped)
                for each in found:
                    _take_up(stopped, each, data)
                with watch():
                    resume(stopped, seed=1)  # of another seed: refused when everything has been read, and nothing runs
        finally:
            place.write_bytes(before)

    return answer


def _take_up(run: Path, found: Any, data: bytes) -> None:
    """Records up to a checkpoint, and a lock that says anything: both are opened for writing, so not watched."""
    from particlegvi.results.growing import GrowingArray
    from particlegvi.results.lock import Lock

    assert found.snapshot.state.nbytes <= 10_000
    with contextlib.suppress(ValueError):
        GrowingArray(run / "arrays" / "DE.growing.npy", 3, (3, 1), found.snapshot.records, found.records_sha256).close()
    (run / "lock").write_bytes(data[1:])
    lock = Lock.take(run)
    lock.release()
    assert isinstance(lock.before, dict)


def _interrupted(folder: Path) -> Path:
    """A folder as a process leaves it that was stopped in its first method, with two checkpoints."""
    import particlegvi as pg

    place = folder / "stopped"
    if not place.exists():
        calls = []

        def stop(label: str, done: int, steps: int) -> None:
            calls.append(done)
            if len(calls) == 3:
                raise KeyboardInterrupt

        with contextlib.suppress(KeyboardInterrupt):
            pg.run("global-minimiser", particles=3, steps=60, record_every=30, checkpoint_every=1e-9, out=place,
                   progress=stop)  # fmt: skip
    return place


def _run(folder: Path) -> Path:
    import particlegvi as pg

    place = folder / "run"
    if not place.exists():
        pg.run("global-minimiser", particles=3, steps=2, out=place)
    return place


def _files(run: Path) -> list[str]:
    return sorted(str(path.relative_to(run)) for path in run.rglob("*") if path.is_file())


def formula_seeds(folder: Path) -> list[bytes]:
    texts = [
        "3/2*(t**4/4 + t**3/3 - t**2) - 3/8", "-log(exp(-t^2) + exp(-x^2))", "abs(sin(t)) + 2**-x", "tan(t)/cosh(x)",
        "sqrt(t*t + x*x) - 1e-3", "((((t))))", "1/(1 + exp(-x))", "t**0.5 - x**-2", "sinh(t) - tanh(pi*x)", "2**t**x",
    ]  # fmt: skip
    return [text.encode() for text in texts]


def scenario_seeds(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "scenarios").glob("*.toml"))] + [
        b'loss = {formula = "t**2", variables = ["t"]}\nprior = "normal"\nparticles = 4\nsteps = 10\nstep_size = 0.1\n'
        b"[methods.DRLE]\nmmd_weight = 1\nembedding = {how = 'monte-carlo', samples = 3}\n",
        b"based_on = 'lifting'\nrecord_every = 0\ntolerance = 1e-9\n",
    ]


def setting_seeds(folder: Path) -> list[bytes]:
    return [
        b"particles=10", b"methods.DRLE.kl_weight=0.3", b"loss=banana", b'initial={name="uniform", low=[0,0], high=1}',
        b"figures.0.kind=histograms", b"modes=[[0,1]]", b"kernel.lengthscale=median", b"initial.sd=[1.0, 2.0]",
    ]  # fmt: skip


def array_seeds(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(_run(folder).rglob("*.npy"))]


def json_seeds(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(_run(folder).rglob("*.json"))] + [b"{}", b'{"a": [1, -2.5e3, null]}']


def folder_seeds(folder: Path) -> list[bytes]:
    places = [run / name for run in (_run(folder), _interrupted(folder)) for name in _files(run)]
    return [bytes([number]) + place.read_bytes() for number, place in enumerate(places)]


FORMULA_WORDS = (
    b"sin( cos( tan( exp( log( sqrt( abs( tanh( cosh( sinh( pi t x ** ^ + - * / ( ) 1e308 1e-320 0 .5 9**9**9 nan inf ,"
    b" __import__('os') lambda eval( exec( t.real \\ \x00 \xff \xc2\xb2 1_0 0x1 1j"
)
NUMBER_WORDS = (
    b"nan inf -inf 1e400 -1 0 1e308 99999999999999999999 true null NaN Infinity [ ] { } \" ' = , : [[ ]] # \\u0000"
)
TOML_WORDS = NUMBER_WORDS + (
    b" name loss prior initial kernel methods.DE particles steps step_size based_on figures seed ../up /etc/passwd"
    b" formula variables points 1979-05-27 \"\"\" ''' __class__ how monte-carlo median flat a.b.c.d.e"
)
NPY_WORDS = (
    b"<f8 >f8 |O <i8 True False descr fortran_order shape (-1,) (9999999999, ) (1,2,3) \x93NUMPY \x01\x00 \x02\x00 (),"
)

TARGETS = {
    "formula": Target(formulas, formula_seeds, FORMULA_WORDS.split(), 0.72, 300),
    "setting": Target(settings, setting_seeds, TOML_WORDS.split(), 0.05, 300),
    "scenario": Target(scenario_files, scenario_seeds, TOML_WORDS.split(), 0.05, 4000),
    "array": Target(arrays, array_seeds, NPY_WORDS.split(), 0.07, 1000),
    "json": Target(json_files, json_seeds, NUMBER_WORDS.split(), 0.06, 3000),
    "folder": Target(run_folders, folder_seeds, NUMBER_WORDS.split() + NPY_WORDS.split(), 0.05, 4000),
}


# What atheris sees the lines of: not what numba compiles.
INSTRUMENTED = [f"particlegvi.{name}" for name in ("formulas", "scenario", "results", "files", "registry", "quoting")]


# How it is fed -------------------------------------------------------------------------------------------------------


def mutated(chance: random.Random, corpus: list[bytes], words: list[bytes]) -> bytes:
    """A few random edits of a random member of the corpus."""
    data = bytearray(chance.choice(corpus))
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        at = chance.randrange(len(data) + 1)
        until = min(len(data), at + chance.choice((1, 2, 4, 16, 200)))
        edit = chance.randrange(8)
        if edit == 0 and data:
            data[min(at, len(data) - 1)] ^= 1 << chance.randrange(8)
        elif edit == 1:
            data[at:at] = chance.randbytes(chance.choice((1, 2, 8)))
        elif edit == 2:
            del data[at:until]
        elif edit in (3, 4):
            data[at:until] = chance.choice(words)
        elif edit == 5:
            data[at:at] = bytes(data[at:until]) * chance.choice((1, 2, 30))
        elif edit == 6:
            other = chance.choice(corpus)
            data[at:] = other[chance.randrange(len(other) + 1) :]
        else:
            data[at:at] = chance.choice(words)
    return bytes(data[:20_000])


def by_mutation(target: Target, inputs: int, seed: int, folder: Path, watch: Watch) -> Tally:
    """Feed mutations of the seeds, and of whatever was answered in a new way."""
    answer, corpus, chance, tally = target.prepare(folder), target.seeds(folder), random.Random(seed), Tally()
    warm_up()
    for data in corpus[:]:  # loads lazily imported modules before anything is watched
        for part in (data[: len(data) // 2], data):
            with contextlib.suppress(ValueError):
                answer(part, _Blind())
    ways = set()
    for number in range(inputs):
        data = corpus[number] if number < len(corpus) else mutated(chance, corpus, target.words)
        way = tally.feed(answer, data, watch)
        if way not in ways:
            ways.add(way)
            corpus.append(data)
    return tally


class _Blind(Watch):
    """Watches nothing."""

    def __init__(self) -> None: ...

    @contextlib.contextmanager
    def __call__(self) -> Iterator[None]:
        yield


def by_atheris(name: str, inputs: int, seed: int, folder: Path, report: Path) -> None:
    """Feed what atheris invents, guided by the lines that run; ends the process."""
    import atheris

    import particlegvi.simulation  # first: numba cannot compile what is instrumented

    for module in ("losses", "kernels", "targets", "engine.evaluate", "engine.tape"):
        importlib.import_module(f"particlegvi.{module}")
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        import particlegvi.formulas
        import particlegvi.results  # noqa: F401
    target = TARGETS[name]
    answer, watch, tally = target.prepare(folder), Watch(folder), Tally()
    seeds = folder / "corpus"
    seeds.mkdir()
    warm_up()
    for number, data in enumerate(target.seeds(folder)):
        (seeds / str(number)).write_bytes(data)
        for part in (data[: len(data) // 2], data):
            with contextlib.suppress(ValueError):
                answer(part, _Blind())
    (folder / "words").write_text(
        "\n".join('"' + "".join(f"\\x{byte:02x}" for byte in word) + '"' for word in target.words)
    )

    def one(data: bytes) -> None:
        tally.feed(answer, data, watch)
        if tally.inputs == inputs or tally.inputs % 20_000 == 0:  # whatever ends the process, something is known
            report.write_text(json.dumps(tally.report("atheris")))

    arguments = [f"-atheris_runs={inputs}", f"-seed={seed + 1}"]
    arguments += [f"-max_len={target.longest}", "-verbosity=0", "-timeout=60"]
    atheris.Setup([sys.argv[0], *arguments, f"-dict={folder / 'words'}", str(seeds)], one)
    atheris.Fuzz()


def child(name: str, inputs: int, seed: int, report: Path) -> None:
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as made:
        os.chdir(made)
        try:
            import atheris  # noqa: F401
        except ImportError:
            tally = by_mutation(TARGETS[name], inputs, seed, Path(made), Watch(Path(made)))
            report.write_text(json.dumps(tally.report("own mutations")))
        else:
            by_atheris(name, inputs, seed, Path(made), report)


def fed(name: str, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Feed one target in a process of its own; its report."""
    inputs = round(options.inputs * TARGETS[name].share)
    report = folder / f"{name}.json"
    command = [sys.executable, __file__, "--child", name, "--inputs", str(inputs), "--seed", str(options.seed)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    begun = time.perf_counter()
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run([*command, "--out", str(report)], env=environment, timeout=options.seconds, capture_output=True)
    found = json.loads(report.read_text()) if report.exists() else {"inputs": 0, "wrong": ["no report"]}
    found["seconds"] = round(time.perf_counter() - begun, 1)
    print(name, {key: value for key, value in found.items() if key not in ("wrong", "slowest_input")}, flush=True)
    for wrong in found["wrong"][:5]:
        print("   ", wrong, flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="number of inputs, all targets together")
    parser.add_argument("--seconds", type=float, default=3600.0, help="limit for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="how many targets are fed at a time")
    parser.add_argument("--only", choices=TARGETS, action="append", help="these targets only")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "fuzz.json")
    parser.add_argument("--child", choices=TARGETS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.inputs, options.seed, options.out)
        return 0
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(options.jobs) as pool:
        names = options.only or list(TARGETS)
        found = dict(zip(names, pool.map(lambda name: fed(name, options, Path(made)), names), strict=True))
    record = {
        "inputs": sum(each["inputs"] for each in found.values()),
        "wrong": sum(len(each["wrong"]) for each in found.values()),
        "slowest_seconds": max(each.get("slowest_seconds", 0.0) for each in found.values()),
        "python": platform.python_version(),
        "seed": options.seed,
        "targets": found,
    }
    options.out.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 1 if record["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
