"""Quadrature of densities on the line and in the plane.

`potential` has the log density before normalisation, -loss/kl_weight + log p. `nodes` turns it into the nodes and
masses that all targets use: by `panels` on the line, by cells in the plane. `panels` also has the distribution
function, quantiles and partial means on the line, `nodes` the draws in the plane. `missed` bounds the mass that a
quadrature misses. `mesh` sums a kernel over many nodes by the fast Fourier transform, for DRLE's fixed point.
"""
