"""Names of groups and columns."""

from __future__ import annotations

import pytest

from particlegvi.tools.export.columns import groups, unique


def test_names_are_kept_apart():
    assert unique(["a", "b", "a", "a_"], ["b"]) == ["a", "b_", "a_", "a__"]
    assert unique([]) == []


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["DE", "kl 0.1", "λ = 1"], ["DE", "kl 0.1", "λ = 1"]),
        (["a/b", "a_b"], ["a_b", "a_b_"]),
        (["truth"], ["truth_"]),
        (["", ".", "..", " "], ["run_", "run._", "run.._", "run__"]),
    ],
)
def test_a_group_has_a_name_that_a_file_can_have(labels, names):
    assert groups(labels, ["truth"]) == dict(zip(labels, names, strict=True))
