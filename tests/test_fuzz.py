"""The fuzzer with a few thousand inputs, and that it would find what it looks for. The million is run by hand."""

import json
import pickle
import time
from pathlib import Path

import pytest

from .fuzzing import fuzz

pytestmark = pytest.mark.usefixtures("elsewhere")
FEW = {"formula": 4000, "setting": 400, "scenario": 250, "array": 1500, "json": 1500, "folder": 250}


@pytest.mark.parametrize("name", fuzz.TARGETS)
@pytest.mark.sample("formula", "setting")
def test_every_input_is_accepted_or_refused_at_once_and_touches_nothing(name, tmp_path):
    tally = fuzz.by_mutation(fuzz.TARGETS[name], FEW[name], 20261121, tmp_path, fuzz.Watch(tmp_path))
    assert not [wrong for wrong in tally.wrong if wrong["kind"] != "slow"], tally.wrong[:5]
    assert tally.inputs == tally.accepted + tally.refused == FEW[name]
    assert tally.accepted > 5 and tally.refused > FEW[name] / 2  # mutations of good inputs: both kinds are there
    assert tally.slowest < 5.0, tally.slowest_input  # a busy machine is allowed more than the second of the long run


def watched(action):
    """An answer that does this with the input while it is watched."""

    def answer(data, watch):
        with watch():
            action(data)

    return answer


def answer_at_length(data, watch):
    raise ValueError("x" * 5000)


@pytest.mark.parametrize(
    ("answer", "data", "kind"),
    [
        (watched(pickle.loads), pickle.dumps(time.sleep), "touched"),
        (watched(lambda data: eval(data.decode("latin-1"))), b"1 + 1", "touched"),
        (watched(lambda _: Path("/etc/hostname").read_bytes()), b"", "touched"),
        (watched(lambda _: Path("new").touch()), b"", "touched"),
        (lambda *_: time.sleep(1.1), b"", "slow"),
        (answer_at_length, b"", "answer"),
        (watched(pickle.loads), b"\x00", "error"),
    ],
    ids=["pickle", "eval", "opens", "writes", "slow", "long", "fails"],
)
def test_the_fuzzer_finds_what_it_looks_for(answer, data, kind, tmp_path):
    """Negative controls: parsers that do what ours must not."""
    tally = fuzz.Tally()
    tally.feed(answer, data, fuzz.Watch(tmp_path))
    assert kind in {wrong["kind"] for wrong in tally.wrong}


def test_the_record_of_the_long_run_is_clean(root):
    record = json.loads((root / "benchmarks" / "fuzz.json").read_text(encoding="utf-8"))
    assert record["inputs"] >= 1_000_000 and record["wrong"] == 0 and record["slowest_seconds"] < 1.0
    assert set(record["targets"]) == set(fuzz.TARGETS)
    assert all(each["accepted"] > 0 and each["refused"] > 0 for each in record["targets"].values())
