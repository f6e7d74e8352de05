"""Settings and cells of a grid: what is set, what a cell is named by, and what is refused."""

import json

import pytest

from particlegvi import scenario
from particlegvi.sweeps.grid import Grid

from ..refusals import refuse

VERSIONS = {"particlegvi": "1", "python": "3.11", "numpy": "2.0"}


def grid(given, over, seeds=(0, 1), versions=VERSIONS):
    return Grid(scenario.load(given), over, list(seeds), versions)


def test_settings_are_every_combination_the_last_key_fastest(small):
    made = grid(small, {"methods.DLE.kl_weight": [0.1, 0.2], "particles": [4, 8, 16]})
    settings = list(made.settings())
    assert [each.values for each in settings] == [(0.1, 4), (0.1, 8), (0.1, 16), (0.2, 4), (0.2, 8), (0.2, 16)]
    assert [each.scenario["particles"] for each in settings] == [4, 8, 16, 4, 8, 16]
    assert settings[3].scenario["methods"]["DLE"]["kl_weight"] == 0.2
    assert made.shape == (2, 3) and made.size == 12


def test_a_star_sets_the_key_where_it_is_there_in_tables_and_lists(small):
    made = grid("global-minimiser", {"methods.*.kl_weight": [0.25]})
    assert made.targets == {"methods.*.kl_weight": ["methods.DLE.kl_weight", "methods.DRLE.kl_weight"]}
    [setting] = made.settings()
    weights = {label: entry.get("kl_weight") for label, entry in setting.scenario["methods"].items()}
    assert weights == {"DE": None, "DLE": 0.25, "DRLE": 0.25}
    small |= {"modes": [[-2.0], [1.0]], "figures": [{"kind": "histograms"}]}
    [setting] = grid(small, {"modes.*.0": [3.0], "figures.*.kind": ["trajectories"]}).settings()
    assert setting.scenario["modes"] == [[3.0], [3.0]] and setting.scenario["figures"] == [{"kind": "trajectories"}]


def test_a_range_over_a_whole_number_has_the_nearest_ones_and_any_other_is_left_alone(small):
    over = {"particles": "10:1000:5:log", "methods.DLE.kl_weight": "1:3:4", "prior.mean": "0:1:3"}
    made = grid({**small, "methods": {"DLE": {"kl_weight": 1}}, "prior": {**small["prior"], "mean": 0}}, over)
    assert made.over["particles"] == [10, 32, 100, 316, 1000]
    assert made.over["methods.DLE.kl_weight"] == pytest.approx([1.0, 5 / 3, 7 / 3, 3.0])
    assert made.over["prior.mean"] == [0.0, 0.5, 1.0]
    for refused in ("10:12:5", [10, 10.5]):  # two would be the same; a list says what it means
        with pytest.raises(ValueError, match=r"particles must be a whole number from 1 to \d+, not 10\.5"):
            grid(small, {"particles": refused}).check()


def names(given, over, **more):
    made = grid(given, over, **more)
    return [cell.name for setting in made.settings() for cell in made.cells(setting)]


def test_a_name_is_of_what_decides_about_the_numbers(small):
    before, over = names(small, {"particles": [4]}), {"particles": [4]}
    assert len(set(before)) == 2 and all(len(name) == 64 for name in before)
    assert names({**small, "particles": 4}, {}) == before  # however the setting came about
    assert names({**small, "title": "another", "name": "another"}, over) == before
    assert names({**small, "methods": {"DLE": {"kl_weight": 1}}}, over) == before  # 1 is 1.0
    assert names(small, over, versions={**VERSIONS, "python": "3.12"}) == before
    for other in (
        names({**small, "steps": 21}, over),
        names(small, {"particles": [5]}),
        names(small, over, seeds=(2, 3)),
        names(small, over, versions={**VERSIONS, "numpy": "2.1"}),
    ):
        assert not set(other) & set(before)
    assert set(before) < set(names(small, {"particles": [4, 8]}, seeds=(0, 1, 2)))  # a larger grid shares them
    [setting] = grid(small, over).settings()
    identity = grid(small, over).cells(setting)[1].identity
    assert json.loads(json.dumps(identity)) == identity  # plain data
    assert identity["seed"] == 1 and identity["scenario"]["particles"] == 4


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"particle": [4]}, 'small: there is no key "particle"; did you mean "particles"'),
        ({"particles": [4, -1]}, "small: particles must be a whole number from 1"),
        ({"methods.DLE.kl_weight": [1.0, -1.0]}, "small at methods.DLE.kl_weight = -1.0: methods.DLE: kl_weight must"),
        ({"methods.*.kl_weigth": [1.0]}, r"over must name keys of the scenario, not .*; did you mean kl_weight\?"),
        ({"methods.*.kl_weight": [1.0], "methods.DLE.kl_weight": [2.0]}, "over must set each key of the scenario once"),
        ({"seed": [1, 2]}, "the seed is not part of a scenario"),
        ({"": [1]}, "is not a key"),
    ],
)
def test_a_bad_grid_is_refused(small, over, words):
    refuse(lambda: grid(small, over).check(), words)
