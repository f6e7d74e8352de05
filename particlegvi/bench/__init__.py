"""Benchmarks: the engine is timed in turn with what a user would write instead, in one process.

`workloads` lists what is timed, `rivals` has other implementations in numpy and plain numba, and finds those that need
another library and the workloads of a clone, `timing` takes turns between contenders, `report` runs everything and
prints the tables. A clone also measures one repulsion against the number of particles.
"""
