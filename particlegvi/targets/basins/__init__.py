"""Basins of gradient flows, and searches for minima and for the mass of a density.

A reader who wants DE's target starts with `basins_line` (exact, on the line) or `basins_plane` (strata of starting
points, in the plane); both make an `AtomicTarget` (`atoms`) from the distribution of the starts (`start`). `descent`
integrates many gradient flows at once, and `minima` polishes minima and builds the traps around them; FD-GVI's optima
(`particlegvi.targets.gaussians`) use both. The other files find the mass of exp(f) before a quadrature: `survey` on
the line and `survey_plane` in the plane, where `cells` is the adaptive quadrature.
"""
