"""Benchmarks: the engine is timed in turn with what a user would write instead, in one process.

`benchmarks/measure.py` runs it. `rivals` is the table of workloads and rivals, `timing` takes turns between
contenders, `report` runs everything and prints the tables; `checks` and `scaling` measure more than times. A module
of workloads has ``ALL``, functions that return contenders, the engine's first. A module of rivals has ``RIVALS``: for
each workload, pairs of the library that must be installed and a function that makes the contender, in the order of
the rows in the report.
"""
