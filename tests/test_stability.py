"""The public names are those of docs/public-names.txt, which only a deliberate change moves."""

import pytest

from .interpreters import python


@pytest.mark.thorough
def test_no_public_name_or_parameter_has_moved(root):
    now = python("docs/public_names.py", cwd=root).stdout.splitlines()
    written = (root / "docs" / "public-names.txt").read_text(encoding="utf-8").splitlines()
    moved = [f"- {line}" for line in written if line not in now] + [f"+ {line}" for line in now if line not in written]
    remedy = "python docs/public_names.py > docs/public-names.txt writes a deliberate change:"
    assert not moved, "\n".join([remedy, *moved])
    assert {"pg.simulate", "pg.Loss.from_formula", "loss double-well"} <= {line.partition("(")[0] for line in now}
