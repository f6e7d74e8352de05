"""The theorems of the sources as experiments that can fail: what ``particlegvi verify`` runs.

A claim is a function in a file of :mod:`particlegvi.verification.claims`, which the decorator
:func:`particlegvi.verification.claim.claim` marks. Every experiment is made twice: as claimed, and on a wrong variant,
in which the engine or its input is changed and nothing else. One bound judges both, and the wrong variant must miss it.
"""
