"""The only code that imports numba: loops over arrays, sums over pairs, noise, and terms in plain Python, compiled."""
