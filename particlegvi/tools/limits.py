"""The largest and smallest values that the package takes, and the defaults of a run, each in one place.

Nothing is imported from numpy here, so that the checks of a scenario can use these numbers at no cost.
"""

import sys

MOST_WHOLE = 2**53  # up to here every whole number is a float, so that times are exact
MOST_SEED = 2**64 - 1
# A particle's index takes 32 bits of the counter of the random numbers. Far fewer fit into most machines, and
# `particlegvi.tools.machine` refuses the others.
MOST_PARTICLES = 2**32
MOST_COORDINATES = 2**24
LARGEST = sys.float_info.max
SMALLEST_SCALE, LARGEST_SCALE = 1e-150, 1e150  # the square and its inverse are finite as well
SMALLEST_SCORED, LARGEST_SCORED = 1e-75, 1e75  # the quotient of two of these has a finite square

PARTICLES, STEPS, STEP_SIZE = 300, 10_000, 1e-3  # of a run that does not say them
STEPS_TO_ARRIVE = 400  # most steps that are scaled by the ensemble
