"""The meaning of each key of a scenario, in words, from the tables of keys."""

from __future__ import annotations

import importlib
import textwrap

from particlegvi.scenario import kinds
from particlegvi.settings import keys
from particlegvi.settings.keys import Key
from particlegvi.tools.calls import entries, form_and_words
from particlegvi.tools.registry import look_up, unknown

WIDTH = 99
# Examples of values for the keys that are tables, as a user types them.
EXAMPLES = {
    "loss": ('"x^2/2 + 3*cos(2*y)"', '"double-well"', '{formula = "x^2 + y^2", variables = ["y", "x"]}'),
    "prior": ('{name = "normal", mean = 0.0, sd = 1.0}', '{name = "uniform", low = -3.0, high = 3.0}', '"flat"'),
    "initial": ('{name = "normal", mean = 0.0, sd = 2.0}', "{points = [[0.0], [1.0]]}"),
    "kernel": ('{name = "squared-exponential", lengthscale = 0.5}', '{name = "matern-32", lengthscale = "median"}'),
    "step_size": ("1e-3", '{schedule = "polynomial", initial = 1e-2, delay = 1000, power = 0.55}'),
    "methods": (
        "{DLE = {kl_weight = 0.5}}",
        '{cold = {method = "DLE", kl_weight = 0.1}}',
        "{DE = false}  (leaves DE out of the default methods)",
    ),
    "integrator": ('"leimkuhler-matthews"', '{name = "baoab", friction = 1.0}'),
    "figures": ('[{kind = "histograms", bins = 40}]', "or one table [[figures]] for each picture"),
}
REGISTRIES = {
    "loss": "losses", "prior": "priors", "initial": "priors", "kernel": "kernels", "methods": "methods",
    "integrator": "integrators", "figures": "plotting", "step_size": "integrators.schedules",
}  # fmt: skip


def every_key(kind: str = "particles") -> str:
    """A line or two for each key of a kind of scenario."""
    return "".join(f"{name}\n{_told(entry)}" for name, entry in _table(kind).items())


def is_key(name: str, kind: str = "particles") -> bool:
    """Whether this is a key, or a dotted key whose first part is a key."""
    return name.split(".")[0] in _table(kind)


def key(name: str, kind: str = "particles") -> str:
    """The meaning of one key, with examples; a dotted key such as ``methods.DLE.kl_weight`` is allowed, too."""
    table = _table(kind)
    first, _, rest = name.partition(".")
    meaning = _told(look_up("key", first, table))
    if rest and first == "methods" and kind == "particles":
        return f"{name}\n{_parameter(rest)}{meaning}"
    if kind != "particles":
        return f"{first}\n{meaning}"
    examples = "".join(f"    {first} = {example}\n" for example in EXAMPLES.get(first, ()))
    return f"{first}\n{meaning}{examples}{_names(first)}"


def _names(of: str) -> str:
    """The names in the registry of a key, on one line or two; empty for a key without a registry."""
    if of not in REGISTRIES:
        return ""
    registry = importlib.import_module(f"particlegvi.{REGISTRIES[of]}")
    return _indented(f"names: {', '.join(registry.names())}")


def _table(kind: str) -> dict[str, Key]:
    return kinds.get(kind).keys


def _told(entry: Key) -> str:
    meaning = entry.help
    if entry.otherwise:
        meaning += f"; left out: {entry.otherwise}"
    elif entry.default is keys.REQUIRED:
        meaning += "; it must be given"
    elif entry.default not in (keys.ABSENT, keys.CHOSEN, "", []):
        meaning += f"; left out: {entry.default}"
    return _indented(meaning)


def _indented(words: str) -> str:
    return textwrap.fill(words, WIDTH, initial_indent="    ", subsequent_indent="    ") + "\n"


def _parameter(rest: str) -> str:
    """The meaning of ``DLE.kl_weight``: the line of the method's docstring about the parameter."""
    from particlegvi import methods

    label, _, parameter = rest.partition(".")
    method = methods.get(label)
    documented = {name: form_and_words(entry)[1] for name, entry in entries(method).items()}
    if not parameter:
        return textwrap.indent((method.__doc__ or "").splitlines()[0], "    ") + "\n"
    if parameter not in documented:
        raise unknown(f"parameter of {label}", parameter, documented)
    return _indented(documented[parameter])
