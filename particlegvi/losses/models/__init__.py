"""Models that were written in a language for them: NumPyro, PyMC or Stan."""
