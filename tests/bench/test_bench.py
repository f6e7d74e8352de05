"""The benchmark's own arithmetic, that its rivals do the same sum, and that its checks can fail."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest

import particlegvi as pg

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
timing, workloads, plain, checks, measure = map(
    importlib.import_module, ("bench.timing", "bench.workloads", "bench.plain", "bench.checks", "measure")
)


def test_ratios_are_taken_round_by_round():
    slow = timing.Contender("slow", lambda: None, seconds=[2.0, 6.0, 3.0])
    fast = timing.Contender("fast", lambda: None, seconds=[1.0, 2.0, 3.0])
    assert timing.ratios(slow, fast) == (1.0, 2.0, 3.0)


def test_parts_are_scaled_to_the_whole(monkeypatch):
    clock = iter(np.arange(100.0))
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    contender = timing.Contender("a tenth", lambda: None, share=0.1)
    timing.in_turn([contender], rounds=3)
    assert contender.seconds == [10.0, 10.0, 10.0]


@pytest.mark.thorough
def test_naive_pairs_are_the_same_sum():
    x = pg.priors.Normal(0.0, 1.0).sample(200)
    pairs, _ = plain.naive_numba()
    out = np.empty_like(x)
    workloads.Direct(workloads.KERNEL, 1, 1e-12).force(x, None, 1.0, out)
    np.testing.assert_allclose(pairs(x[:, 0], np.empty(200)), out[:, 0], rtol=0, atol=1e-14)


@pytest.mark.slow
def test_accuracy_and_bytes_hold():
    assert all(row["error"] <= row["tolerance"] for row in checks.accuracy())
    assert all(row["same"] for row in checks.same_bytes())


@pytest.mark.slow
def test_a_workload_is_measured_and_written(tmp_path):
    assert measure.main(["--only", "direct-pairs", "--quick", "--out", str(tmp_path / "out")]) == 0
    rows = json.loads((tmp_path / "out" / "results.json").read_text())["workloads"]["direct-pairs"]["rows"]
    assert [row["name"] for row in rows][:2] == ["particlegvi", "numba double loop"]
    assert rows[0]["ratio"] == 1.0 and all(row["seconds"] > 0.0 for row in rows)
