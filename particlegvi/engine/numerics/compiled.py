"""The decorators of compiled code: of entry points, which Python calls, and of helpers, which compiled code calls.

numba optimises every function that another one calls by itself, makes machine code of it, links the optimised form into
the caller, and does all of that again there. Nobody calls a helper of ours from Python, so that the first half is for
nothing: three tenths of a first run. Here a helper stops before the machine code, and most stop before they are
optimised. No bit of a result changes: without ``fastmath`` LLVM leaves the arithmetic as it is. This reaches into
numba, so it is done with the versions that it was tried with; others compile helpers as they do, to the same bits.

A progress can hear of the compiling: `compiling_told`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial, wraps
from typing import Any

import numba
from numba import config
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, StateDict
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering

from particlegvi.contracts import Stages
from particlegvi.engine.numerics.kernel_cache import KernelCache, cache_folder, is_ours, is_term
from particlegvi.engine.numerics.uncompiled import failed
from particlegvi.engine.numerics.user_code import frozen
from particlegvi.tools.errors import warn
from particlegvi.tools.progress import tell

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
TRIED = (61, 68)  # the first and the last of numba's versions 0.N with which helpers were tried

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    # The intrinsics below everything have no plain Python form, and numba asks again whenever it compiles an overload.
    warn("NUMBA_DISABLE_JIT is ignored: the engine exists as compiled code only")
    config.DISABLE_JIT = 0  # type: ignore[attr-defined]


class OptimisedLibrary(JITCodeLibrary):
    """Code that is optimised before it is linked into its callers: loops that would not vectorise there."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class HelperLibrary(OptimisedLibrary):
    """Code that the caller optimises together with its own."""

    def _optimize_final_module(self) -> None:
        """Nothing here."""


def _of_helpers(library: type[OptimisedLibrary]) -> dict[str, Any]:
    """The options of a helper: numba's passes, but the function goes into ``library``, and Python cannot call it."""

    name = f"particlegvi {library.__name__}"

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Lowering(NativeLowering):
        _name = name  # type: ignore[assignment]

        def run_pass(self, state: StateDict) -> bool:
            state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.flags.no_compile = True
            super().run_pass(state)
            # numba finds the code by this object: a method of another text each time, which raises in Python
            entry = f"{{only compiled code can call {state.func_id.func_qualname}}}".format
            state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
            state.cr = state.cr._replace(cfunc=entry)
            return True

    class Compiler(CompilerBase):
        def define_pipelines(self) -> list[PassManager]:
            passes = PassManager(name)
            for numbas, purpose in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
                passes.add_pass(Lowering if numbas is NativeLowering else numbas, purpose)
            passes.finalize()
            return [passes]

    major, minor = numba.version_info.short
    tried = major == 0 and TRIED[0] <= minor <= TRIED[1]
    return {**OPTIONS, "no_cpython_wrapper": True, **({"pipeline_class": Compiler} if tried else {})}


HELPER, LOOP = _of_helpers(HelperLibrary), _of_helpers(OptimisedLibrary)
INLINED = {**HELPER, "forceinline": True}  # without it a loop over points does not vectorise


class EntryPoint:
    """A compiled entry point in two forms: for terms of the package, kept on the disk, and for those of a user.

    Calling it runs the first. ``for_terms`` picks the form once per run.
    """

    def __init__(self, function: Callable[..., Any]):
        wraps(function)(self)
        self.function = function
        self.cached = numba.njit(**OPTIONS)(function)
        folder = cache_folder()
        if folder is not None:
            vars(self.cached)["_cache"] = KernelCache(function, folder)

    @cached_property
    def in_memory(self) -> Any:
        """The form for terms of a user."""
        return numba.njit(**OPTIONS)(self.function)

    def __call__(self, *arguments: Any) -> Any:
        return self.cached(*arguments)

    def for_terms(self, *terms: Any) -> Any:
        """The function to call with these terms."""
        return self.cached if all(is_ours(term) for term in terms) else partial(_with_terms_of_a_user, self, {})


def _with_terms_of_a_user(entry: EntryPoint, versions: dict[type, type], *arguments: object) -> object:
    try:
        return entry.in_memory(*(frozen(argument, versions) for argument in arguments))
    except Exception as error:
        owners = tuple(type(term) for term in arguments if is_term(term) and not is_ours(term))
        if not owners or isinstance(error, MemoryError):
            raise
        raise failed(" or ".join(owner.__name__ for owner in owners), error, owners) from None


def compiled(function: Callable[..., Any]) -> EntryPoint:
    """Decorate an entry point: a function called from Python with arrays, numbers and terms."""
    return EntryPoint(function)


def nested(function: Callable[..., Any]) -> Any:
    """Decorate a helper called from compiled code only: never cached by itself, it is part of its callers' caches."""
    return numba.njit(**HELPER)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Decorate a helper that must vanish into its caller: a small one, so that the loop around it is vectorised, or one
    called at every step, because a call counts references to each array it is given, atomically: 10 ns an array."""
    return numba.njit(**INLINED)(function)


@contextmanager
def compiling_told(progress: object) -> Iterator[None]:
    """Within it ``progress`` hears "compiling" before the first kernel and after each, if it listens to stages."""
    if not isinstance(progress, Stages):
        yield
        return
    listener = _Listener(progress)
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


class _Listener(event.Listener):
    """Counts kernels: what is compiled within another is a part of it."""

    def __init__(self, progress: Stages) -> None:
        self.progress = progress
        self.depth, self.done = 0, 0

    def on_start(self, compiled: object) -> None:
        if self.depth == 0:
            tell(self.progress, "compiling", self.done)
        self.depth += 1

    def on_end(self, compiled: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.done += 1
            tell(self.progress, "compiling", self.done)
