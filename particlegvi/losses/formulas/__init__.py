"""Losses typed as formulas: ``"3/2*(t**4/4 + t**3/3 - t**2) - 3/8"`` with its exact gradient, at the speed of compiled
code and without compiling anything.

The way of a formula: tokens -> graph (`parser`) -> derivatives (`derivative`) -> powers as products -> programs
(`assembler`) -> the interpreter (`particlegvi.engine.terms.tape`). Nothing is ever given to ``eval``.
"""
