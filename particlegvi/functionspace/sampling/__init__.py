"""Projected Langevin sampling of the coefficients of a function.

`sampler` is the public class. A fit makes a task, chooses one of the `plans`, and runs the plan in a `trace`:

=================  ====================================================================
file               content
=================  ====================================================================
cost               the task: data's cost and gradient at many particles, mode, coordinates
plans              start, scheme, step size and length
langevin           one step as four vectors; plain Langevin steps
mixing             a start in all modes; accepted steps, with `reflections`
trace              a run with its test for the stationary distribution
=================  ====================================================================

Sources: thesis, sections 6.5.3, D.12 and D.14.
"""
