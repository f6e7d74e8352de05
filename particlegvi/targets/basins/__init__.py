"""Basins of gradient flows, and searches for minima and for the mass of a density.

A reader who wants DE's target starts with `basins_line` (exact, on the line) or `basins_plane` (strata of starting
points, in the plane); both make an `AtomicTarget` from the distribution of the starts, `basins_line.Q0`. `minima`
polishes minima, builds traps around them, and integrates many gradient flows at once; FD-GVI's optima
(`particlegvi.targets.gaussians`) use it, too. `survey` and `survey_plane` find the mass of exp(f) before a quadrature.
"""
