"""The inputs: good ones to begin with, words to put in, and how much of a million each thing gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fuzzing.answers import Answer, arrays, formulas, json_files, scenario_files, settings
from fuzzing.run_folders import files, finished, interrupted, run_folders
from fuzzing.watching import ROOT


class Target(NamedTuple):
    """One thing that is fed: how it is prepared in a folder, good inputs, words to put in, its share of a million, and
    the longest input that is made.

    ``prepare(folder)`` gives a function of the input; what it does before ``watch()`` is not watched.
    """

    prepare: Callable[[Path], Answer]
    seeds: Callable[[Path], list[bytes]]
    words: list[bytes]
    share: float
    longest: int


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
    return [path.read_bytes() for path in sorted(finished(folder).rglob("*.npy"))]


def json_seeds(folder: Path) -> list[bytes]:
    written = [path.read_bytes() for path in sorted(finished(folder).rglob("*.json"))]
    return [*written, b"{}", b'{"a": [1, -2.5e3, null]}']


def folder_seeds(folder: Path) -> list[bytes]:
    places = [run / name for run in (finished(folder), interrupted(folder)) for name in files(run)]
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
