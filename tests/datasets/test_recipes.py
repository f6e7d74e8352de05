"""Recipes: each rule on made files, and rows by hand in the form of each source."""

from __future__ import annotations

import pytest

from particlegvi.datasets import reading, recipes

from ..refusals import refuse
from . import toy

FILES = reading.catalogue()["files"]
# Made rows in the form of each source, and the rows that must come of them.
BY_HAND = {
    "abalone": (["M,0.5,1,1,1,1,1,1,15\nI,0.50,1,1,1,1,1,1,7"], ["0,0.5,1,1,1,1,1,1,15", "2,0.5,1,1,1,1,1,1,7"]),
    "airfoil": (["800\t0\t0.3048\t71.3\t0.002\t126.170\r\n"], ["800,0,0.3048,71.3,0.002,126.170"]),
    "breast": (
        ["99,5,1,1,1,2,1,3,1,1,2\n98,1,1,1,1,2,?,3,1,1,4\n97,4,4,4,4,4,4,4,4,4,4\n"],
        ["5,1,1,1,2,1,3,1,1,0", "4,4,4,4,4,4,4,4,4,1"],
    ),
    "diabetes": (["6,148,72,35,0,34.0,0.270,50,1"], ["6,148,72,35,0,34.0,0.270,50,1"]),
    "drug_mushrooms": (
        ["1" + " -0.50" * 12 + " CL5" * 15 + " CL3 CL0 CL0 CL0\n2" + " 1" * 12 + " CL6" * 15 + " CL0 CL6 CL6 CL6"],
        ["-0.5," * 12 + "3,1", "1," * 12 + "0,0"],
    ),
    "energy": (
        ["ENB2012_data\r\nX1,X2,X3\r\n0.98,514.50,294.00,110.25,7.00,2,0.00,0,15.55,21.33\r\n"],
        ["0.98,514.5,294,110.25,7,2,0,0,15.55,21.33"],
    ),
    "heart": (
        [",sex,cp\n" + "52,1,0,125,212,0,1,168,0,1,2,2,3,0\n" * 2],
        ["52,1,0,125,212,0,1,168,0,1,2,2,3,0"],
    ),
    "ionosphere": (
        ["1,0" + ",-0.00003" * 32 + ",g\n0,0" + ",0.50000" * 32 + ",b"],
        ["1,0" + ",-3e-05" * 32 + ",1", "0,0" + ",0.5" * 32 + ",0"],
    ),
    "naval": (["  9.5123456789012e-01" * 18 + "\n"], ["0.95123456789012," * 17 + "0.95123456789012"]),
    "rice": (["Area,Class\n1,2,3,4,5,6,7,Cammeo\n1,2,3,4,5,6,7,Osmancik\n"], ["1,2,3,4,5,6,7,1", "1,2,3,4,5,6,7,0"]),
    "wine": (
        ['"fixed acidity";"quality"\n' + "7.4;" * 11 + "5\n", "1," * 11 + "6"],
        ["7.4," * 11 + "5,1", "1," * 11 + "6,0"],
    ),
    "yeast": (
        [
            (".5," * 8 + "negative\n.4," + ".4," * 7 + "positive\n"),
            (".3," * 8 + " positive\n" + ".2," * 8 + " negative"),
        ],
        ["0.5," * 8 + "1", "0.3," * 8 + "0"],
    ),
}


def made(recipe, raw):
    """The texts that a recipe makes of raw texts."""
    return (text.decode() for text in recipes.texts(recipe, [each.encode() for each in raw]))


@pytest.mark.parametrize("stem", BY_HAND)
def test_rows_by_hand(stem):
    raw, rows = BY_HAND[stem]
    assert next(made(FILES[stem], raw)) == "\n".join([FILES[stem]["header"], *rows]) + "\n"


@pytest.mark.parametrize("line", ["1", "1;x", "a;b", "1;"])
def test_a_line_that_is_no_row_is_named(line):
    files = toy.catalogue()["files"]
    refuse(lambda: list(made(files["wines"], [toy.RED + line, toy.WHITE])), "line 4 of red.csv is not a row of 2")
