"""Helpers of compiled code go into their callers and nowhere else: no machine code and no wrapper of their own.

numba optimises every function that another one calls by itself, makes machine code of it, links the optimised form into
the caller, and does all of that again there. Nobody calls a helper of ours from Python, so that the first half is for
nothing: a third of the time of compiling. Here a helper stops before the machine code, and most stop before they are
optimised. No bit of a result changes: without ``fastmath`` LLVM leaves the arithmetic as it is.

This reaches into numba, so it is used with the versions that it was tried with; with others helpers are compiled as
numba does it, to the same bits.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, StateDict
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

TRIED = (61, 68)  # the first and the last of the versions 0.N
Options: TypeAlias = dict[str, Any]  # of `numba.njit`
ONLY_COMPILED = "only compiled code can call this function"


class OptimisedLibrary(JITCodeLibrary):
    """Code that is optimised before it is linked into that of callers: loops that would not vectorise there."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class HelperLibrary(OptimisedLibrary):
    """Code that the caller optimises together with its own."""

    def _optimize_final_module(self) -> None:
        """Nothing here."""


class Lowering(NativeLowering):
    """numba's lowering, without what makes the function one that Python can call."""

    library: type[OptimisedLibrary]

    def run_pass(self, state: StateDict) -> bool:
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        # numba finds the code by this object: a built-in function, another each time, that raises if Python calls it
        entry = "".join(("{", ONLY_COMPILED, "}")).format
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=entry)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class HelperLowering(Lowering):
    """Into a `HelperLibrary`."""

    _name = "particlegvi_helper_lowering"  # type: ignore[assignment]
    library = HelperLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class OptimisedLowering(Lowering):
    """Into an `OptimisedLibrary`."""

    _name = "particlegvi_optimised_lowering"  # type: ignore[assignment]
    library = OptimisedLibrary


class HelperCompiler(CompilerBase):
    """numba's passes with another lowering."""

    lowering: type[Lowering] = HelperLowering

    def define_pipelines(self) -> list[PassManager]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        own = PassManager("particlegvi helper")
        for each, purpose in passes.passes:
            own.add_pass(self.lowering if each is NativeLowering else each, purpose)
        own.finalize()
        return [own]


class OptimisedCompiler(HelperCompiler):
    """The same for helpers that are optimised."""

    lowering = OptimisedLowering


def helper_options(optimised: bool = False) -> Options:
    """The options of ``numba.njit`` for helpers, besides those of all functions."""
    options: Options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    major, minor = numba.version_info.short
    if major == 0 and TRIED[0] <= minor <= TRIED[1]:
        options["pipeline_class"] = OptimisedCompiler if optimised else HelperCompiler
    return options
