"""A folder whose files were changed or damaged: what was lost is simulated again, and another run is refused."""

import pytest

import particlegvi as pg
from particlegvi.runs.storage import checkpoint

from ..refusals import refuse
from .interrupting import SHORT, change_manifest, content, interrupted, manifest, spoil

pytestmark = pytest.mark.thorough


def test_a_scenario_changed_in_the_folder_is_refused_unless_its_words_alone_are_others(half):
    whole = (half / "scenario.toml").read_text()
    for old, new, said in (
        ("steps = 60", "steps = 61", "steps is 61, and was 60"),
        ("kl_weight = ", "kl_weight = 1", "kl_weight is 1"),
    ):
        assert old in whole
        (half / "scenario.toml").write_text(whole.replace(old, new))
        for function in (pg.resume, pg.load):
            refuse(lambda function=function: function(half), said)
    (half / "scenario.toml").write_text(whole.replace("title = ", 'title = "Mine" #'))
    assert pg.resume(half).scenario["title"] == "Mine"


def test_a_seed_changed_in_the_manifest_is_found(half, tmp_path):
    change_manifest(half, seed=5)
    refuse(lambda: pg.resume(half), "the seed is 5, but 0 in its checkpoint")
    pg.run("lifting", out=tmp_path / "finished", **SHORT)
    change_manifest(tmp_path / "finished", seed=5)
    for read in (pg.load, pg.resume):
        with pytest.raises(ValueError, match=r"summary\.json says that the seed is 0, and manifest\.json 5"):
            read(tmp_path / "finished")


@pytest.mark.sample("truncated-checkpoint*", "flipped-*growing*")
@pytest.mark.parametrize(
    "victim",
    ["checkpoint.npz", "arrays/*.growing.npy", "arrays/DE.positions.npy", "arrays/DE.steps.npy", "arrays/DE.json"],
)
@pytest.mark.parametrize("damage", ["truncated", "flipped", "gone"])
def test_damaged_files_cost_time_and_nothing_else(tmp_path, straight, victim, damage):
    interrupted(tmp_path / "run", 14)
    (place,) = (tmp_path / "run").glob(victim)
    spoil(place, damage)
    if "DE." in victim:  # of a method that was done
        refuse(lambda: pg.load(tmp_path / "run"), victim.removeprefix("arrays/"))
    pg.resume(tmp_path / "run")
    assert content(tmp_path / "run") == straight


@pytest.mark.parametrize("damage", [None, "gone", "truncated"])
def test_the_manifest_names_the_step_from_which_a_method_went_on(half, damage):
    """Without its records a method begins again at 0; an undamaged folder is the control."""
    last = checkpoint.read(half)
    assert last.snapshot.step > 0
    if damage:
        spoil(half / "arrays" / f"{last.label}.growing.npy", damage)
    first = []

    def heard(label, done, steps):
        if label == last.label:
            first.append(done)

    pg.resume(half, progress=heard)
    [entry] = manifest(half)["resumed"]
    assert (entry["method"], entry["step"]) == (last.label, 0 if damage else last.snapshot.step)
    assert (first[0] > last.snapshot.step) == (damage is None)


def test_a_finished_folder_verifies_by_hash(tmp_path):
    pg.run("lifting", out=tmp_path / "run", **SHORT)
    for name in ("arrays/DLE.positions.npy", "arrays/DLE.steps.npy", "arrays/DLE.json", "summary.json"):
        file = tmp_path / "run" / name
        whole = file.read_bytes()
        for place in (len(whole) // 3, len(whole) - 2):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            for function in (pg.load, pg.resume):
                with pytest.raises(ValueError, match=file.name):
                    function(tmp_path / "run")
        file.write_bytes(whole)
        assert pg.load(tmp_path / "run").status == "finished"
