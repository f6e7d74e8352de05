"""The models of Table 6.2: each a function ``model(problem, settings)`` below `table_model`.

A model fits on the training rows, may choose settings on the validation rows, and predicts: `Numbers` for a regression,
`Classes` for a classification. Its keyword-only parameters are its own settings, which a table may set for this model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import update_wrapper

from particlegvi.scenario.tables.problem import Classes, Numbers, Problem
from particlegvi.settings.checks import Check
from particlegvi.tools.arguments import flag
from particlegvi.tools.registry import Registry, check_parameters

Fit = Callable[..., Numbers | Classes]
registry: Registry[TableModel] = Registry(__name__, "model of the table")
names, get, register = registry.names, registry.get, registry.register


class TableModel:
    """A function ``fit(problem, settings, **own)``, known by a name, which is the heading of its column.

    ``defaults`` and ``checks`` have the default value and the check of each of the model's own settings, the keyword-
    only parameters of the function.
    """

    def __init__(self, fit: Fit, name: str, checks: Mapping[str, Check]) -> None:
        update_wrapper(self, fit)
        parameters = inspect.signature(fit).parameters.values()
        self._fit = fit
        self.name = name
        self.defaults = {
            parameter.name: parameter.default for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
        }
        self.checks: dict[str, Check] = {}
        for key in (*self.defaults, *checks):
            check = checks.get(key) or (_flag if isinstance(self.defaults.get(key), bool) else None)
            if check is None or self.defaults.get(key, inspect.Parameter.empty) is inspect.Parameter.empty:
                wrong = "has no check" if check is None else "is no keyword-only parameter with a default value"
                raise RuntimeError(
                    f'the setting {key} of the model "{name}" {wrong}; '
                    f'say @table_model("{name}", {key}=...) for such a parameter'
                )
            self.checks[key] = check

    def __call__(self, problem: Problem, settings: object, **own: object) -> Numbers | Classes:
        return self._fit(problem, settings, **own)

    def checked(self, settings: Mapping[str, object], key: str) -> dict[str, object]:
        """Settings of its own in plain form; one that is None, where that is the default, is left out.

        A ValueError names the first setting that does not exist or has a wrong value, as ``key`` and a dot before its
        name.
        """
        check_parameters(key, settings, self.defaults)
        values = {
            name: value for name, value in settings.items() if value is not None or self.defaults[name] is not None
        }
        return {name: self.checks[name](value, f"{key}.{name}") for name, value in values.items()}


def table_model(name: str, /, **checks: Check) -> Callable[[Fit], TableModel]:
    """Make the function below a model of tables; its keyword-only parameters are its own settings.

    Parameters
    ----------
    name : str
        Name of the model.
    **checks
        The check of each setting, ``check(value, key)`` as in `particlegvi.settings.checks`; it returns the value in a
        form that JSON can hold. A setting whose default is True or False needs none.
    """
    return lambda function: TableModel(function, name, checks)


def _flag(value: object, key: str) -> bool:
    return flag(key, value)
