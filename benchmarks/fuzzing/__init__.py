"""The inputs of `benchmarks/fuzz.py` for the formula parser and the loaders, and how it watches the answers."""

from fuzzing.answers import warm_up
from fuzzing.mutation import by_mutation, mutated
from fuzzing.targets import TARGETS
from fuzzing.watching import Tally, Watch

__all__ = ["TARGETS", "Tally", "Watch", "by_mutation", "mutated", "warm_up"]
