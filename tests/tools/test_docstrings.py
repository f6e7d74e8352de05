"""Parameters of a docstring that come from a base class or another function, and public names that have them all."""

import inspect

import pytest

import particlegvi as pg
from particlegvi.tools.docstrings import entries, form_and_words, shares_parameters

RESULTS = (pg.priors.Embedding,)  # made by the package: their docstrings have the section Attributes


def base(a, *others, b=1):
    """Add.

    Parameters
    ----------
    a : int
        The first number.

        It has a second paragraph.
    *others : int
    b : int
        The last.

    Returns
    -------
    int
    """


@shares_parameters(base)
def shared(b=1, a=2, c=3):
    """Subtract.

    Words of its own.

    Parameters
    ----------
    a, c : float
        Other numbers.

    Raises
    ------
    ValueError
    """


@shares_parameters(base)
def without(b, d):
    """Nothing."""


def test_entries_are_found_and_missing_ones_come_in_the_order_of_the_parameters():
    assert list(entries(base)) == ["a", "others", "b"] and entries(without.__call__) == {}
    assert form_and_words(entries(base)["b"]) == ("int", "The last.")
    assert form_and_words(entries(base)["a"])[1] == "The first number. It has a second paragraph."
    assert form_and_words(entries(base)["others"]) == ("int", "")
    entries_of_both = "Parameters\n----------\nb : int\n    The last.\na, c : float\n    Other numbers."
    assert shared.__doc__ == f"Subtract.\n\nWords of its own.\n\n{entries_of_both}\n\nRaises\n------\nValueError\n"
    assert without.__doc__ == "Nothing.\n\nParameters\n----------\nb : int\n    The last.\n"


def test_a_class_has_the_parameters_of_its_bases_and_without_docstrings_nothing_happens():
    @shares_parameters()
    class Child(pg.kernels.SquaredExponential):
        """Child."""

    assert list(entries(Child)) == ["lengthscale", "variance"] and Child.__doc__.startswith("Child.")
    assert shares_parameters(base)(lambda size: size).__doc__ is None


@pytest.mark.parametrize("module", ["methods", "kernels", "priors", "schedules", "functionspace", "networks"])
def test_each_parameter_of_a_public_class_is_documented(module):
    public = [getattr(getattr(pg, module), name) for name in dir(getattr(pg, module)) if not name.startswith("_")]
    for each in public:
        if isinstance(each, type) and "particlegvi" in each.__module__ and each not in RESULTS:
            missing = [name for name in inspect.signature(each).parameters if name not in entries(each)]
            assert not missing, f"{each.__name__} does not document {missing}"
