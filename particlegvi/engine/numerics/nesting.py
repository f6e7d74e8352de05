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
    """Code that is optimised before it is linked into its callers: loops that would not vectorise there."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class HelperLibrary(OptimisedLibrary):
    """Code that the caller optimises together with its own."""

    def _optimize_final_module(self) -> None:
        """Nothing here."""


def _compiler(name: str, library: type[OptimisedLibrary]) -> type[CompilerBase]:
    """numba's passes, but the function goes into ``library`` and is none that Python can call."""

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(NativeLowering):
        _name = f"particlegvi_{name}_lowering"  # type: ignore[assignment]

        def run_pass(self, state: StateDict) -> bool:
            state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            # numba finds the code by this object: a built-in function, another each time, that raises in Python
            entry = "".join(("{", ONLY_COMPILED, "}")).format
            state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
            state.cr = state.cr._replace(cfunc=entry)
            return True

    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[PassManager]:
            own = PassManager(f"particlegvi {name}")
            for each, purpose in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
                own.add_pass(Lowering if each is NativeLowering else each, purpose)
            own.finalize()
            return [own]

    return Compiler


HELPER, OPTIMISED = _compiler("helper", HelperLibrary), _compiler("optimised", OptimisedLibrary)


def helper_options(optimised: bool = False) -> Options:
    """The options of ``numba.njit`` for helpers, besides those of all functions."""
    options: Options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    major, minor = numba.version_info.short
    if major == 0 and TRIED[0] <= minor <= TRIED[1]:
        options["pipeline_class"] = OPTIMISED if optimised else HELPER
    return options
