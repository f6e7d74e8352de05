"""Parameters of a docstring that come from a base class or another function, and public names that have them all."""

import inspect

import pytest

import particlegvi as pg
from particlegvi.tools.calls import entries

RESULTS = (pg.priors.Embedding,)  # made by the package: their docstrings have the section Attributes


@pytest.mark.parametrize("module", ["methods", "kernels", "priors", "schedules", "functionspace", "networks"])
def test_each_parameter_of_a_public_class_is_documented(module):
    public = [getattr(getattr(pg, module), name) for name in dir(getattr(pg, module)) if not name.startswith("_")]
    for each in public:
        if isinstance(each, type) and "particlegvi" in each.__module__ and each not in RESULTS:
            missing = [name for name in inspect.signature(each).parameters if name not in entries(each)]
            assert not missing, f"{each.__name__} does not document {missing}"
