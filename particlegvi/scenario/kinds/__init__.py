"""The kinds of scenario that ``particlegvi run`` runs: one file or folder each, found by its name.

A kind (`particlegvi.scenario.kinds.kind.Kind`) declares the keys of its scenarios, builds their parts, runs a job,
packs a run into a record and unpacks it, and summarises it. Folders, locks, checkpoints and results are the same for
all kinds: `particlegvi.runs` has the loop that runs every kind.
"""

from particlegvi.scenario.kinds.kind import build, get, has, names, of, register

__all__ = ["build", "get", "has", "names", "of", "register"]
