"""Scenarios that run in a moment, which tests of several folders share."""

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
