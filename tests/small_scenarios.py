"""Scenarios that run in a moment, which tests of several folders share."""

# A scenario of each kind with settings that make it short, on made data in tables: a new kind needs a line here.
SHORT_RUNS = {
    "approximation": ("sparse-approximation", {"models": ["subset", "greedy"], "sizes": [4], "trials": 1}),
    "particles": ("global-minimiser", {"particles": 20, "steps": 20}),
    "function-space": ("regression-curve", {"particles": 10, "steps": 20}),
    "networks": ("regression-gap", {"particles": 3, "steps": 10, "record_every": 5}),
    "table": ("uci-function-space", {"rows": ["yacht", "heart"], "models": ["linear", "pls"], "splits": 2}),
}

# Functions fitted to counts, whose posterior has two halves, by two kinds of steps of different numbers.
COUNTS = {
    "kind": "function-space",
    "name": "fitted",
    "title": "Counts",
    "data": {"formula": "2*sin(2*x)", "count": 40},
    "kernel": {"lengthscale": 0.9},
    "likelihood": "poisson-square",
    "inducing_points": 8,
    "particles": 12,
    "methods": {"mixing": {"method": "PLS"}, "plain": {"method": "PLS", "moves": "none", "steps": 20}},
}
