"""Predictions from a posterior: at one input (`marginals`), of a whole fit (`posterior`), and of classes.

Nothing is imported here: `particlegvi.functionspace` has the public names.
"""
