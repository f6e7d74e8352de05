"""Projected Langevin sampling of the coefficients of a function.

`sampler` is the public class. A fit makes a `task`, chooses one of the `plans`, and runs the plan in a `trace`:

=================  ====================================================================
file               content
=================  ====================================================================
task, plans        the posterior with its settings; start, scheme, step size and length
coordinates        the coordinates in which the particles move
data_cost          the cost of the data and its gradient at many particles
schemes, langevin  one step as four vectors; plain Langevin steps, minibatches
mixing             accepted steps, with `mode_jumps` and changes of sign on `regions`
annealing, mode    a start in all modes; the mode nearest to a point
trace              a run with its test for the stationary distribution
=================  ====================================================================

Sources: thesis, sections 6.5.3, D.12 and D.14.
"""
