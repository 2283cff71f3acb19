"""LLVM IR text to an object or to assembly, for this CPU or another.

The code is relocatable (`pic`) in the small code model, which JITLink loads. LLVM's default for
JITs is the large code model, whose addresses cost an instruction each. Loop and SLP vectorisation
are off: the kernels are already vector code, and their scalar parts (tails) are intended.

Kernels and stubs get three LLVM passes; other functions (loops written by a user) get LLVM's
function simplifications. In kernels these simplifications find almost nothing that the code
generator does not find, and take a quarter of LLVM's time; `instcombine` alone moves the division
of a row into the loop over it. In stubs they find nothing. Loop strength reduction is off for
kernels: their loops already advance pointers, so the pass makes them no faster, and it takes half
of the code generation time of a product. LLVM has a process-wide option for this, so it is switched
for each module, under the lock of llvmlite. A process that sets `-disable-lsr` itself loses its
setting.

`LLVM_PASSES` in `codegen/cache.py` names what runs when `opt` is not 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import llvmlite.binding as llvm

from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.codegen.locks import llvm_lock
from snippets_mlir.support.spans import is_recording, span

T = TypeVar("T")


class _How(NamedTuple):
    """A target machine of LLVM, and its optimisation level."""

    triple: str
    cpu: str
    features: str
    opt: int


@cache
def _initialize(foreign: bool) -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    if foreign:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()


def initialize(triple: str) -> None:
    """Set up LLVM's code generators for `triple`; those of other CPUs only on demand."""
    _initialize(triple.partition("-")[0] != llvm.get_process_triple().partition("-")[0])


def target_machine(triple: str, cpu: str, features: str, opt: int) -> llvm.TargetMachine:
    """LLVM's target machine; InternalError if LLVM does not know the triple."""
    initialize(triple)
    try:
        target = llvm.Target.from_triple(triple)  # pyright: ignore[reportUnknownMemberType]
    except RuntimeError as error:
        raise InternalError(f"LLVM does not know the target {triple!r}: {error}") from error
    return target.create_target_machine(
        cpu=cpu, features=features, opt=opt, reloc="pic", codemodel="small"
    )


class _Passes:
    """LLVM's passes for one machine, made once: llvmlite never frees a manager of passes.

    The module pipelines (O1, O2, O3) make no faster code and take 1.5 to 1.7 times as long: they
    add inlining, and scalar optimizations that the code does not need.
    """

    def __init__(self, machine: llvm.TargetMachine) -> None:
        options = llvm.create_pipeline_tuning_options(1)
        options.loop_vectorization = False
        options.slp_vectorization = False
        options.loop_interleaving = False
        self._builder = llvm.create_pass_builder(machine, options)  # pyright: ignore[reportUnknownMemberType]
        self._kernel = llvm.create_new_function_pass_manager()
        self._kernels = llvm.create_new_module_pass_manager()
        for passes in (self._kernel, self._kernels):
            passes.add_loop_rotate_pass()
            passes.add_simplify_cfg_pass()
            passes.add_loop_unroll_pass()
        self._functions = self._builder.getFunctionPassManager()
        self._unrolling = llvm.create_new_module_pass_manager()
        self._unrolling.add_loop_unroll_pass()

    def run(self, module: Any, kernels: bool) -> None:
        """Run the passes that the module docstring states for the functions of `module`.

        Each call of LLVM waits for Python's interpreter at its end. So all kernels together take
        one call, unless each is recorded.
        """
        if kernels and not is_recording():
            self._kernels.run(module, self._builder)  # pyright: ignore[reportUnknownMemberType]
            return
        passes = self._kernel if kernels else self._functions
        for function in module.functions:
            if not function.is_declaration:
                with span(f"@{function.name}", "unit"):
                    passes.run(function, self._builder)  # pyright: ignore[reportUnknownMemberType]
        if not kernels:
            self._unrolling.run(module, self._builder)  # pyright: ignore[reportUnknownMemberType]


class _Machine(NamedTuple):
    """What all compilations for one machine share.

    llvmlite's lock lets one thread at a time into LLVM.
    """

    machine: llvm.TargetMachine
    data_layout: str


@cache
def _machine(how: _How) -> _Machine:
    machine = target_machine(*how)
    return _Machine(machine, str(machine.target_data))


@cache
def _passes(how: _How) -> _Passes:
    return _Passes(_machine(how).machine)


def _optimised(llvm_text: str, how: _How, kernels: bool) -> Any:
    """The module of `llvm_text` after LLVM's passes, in a context of its own."""
    try:
        module = llvm.parse_assembly(llvm_text, llvm.create_context())  # pyright: ignore[reportUnknownMemberType]
        module.triple = how.triple
        module.data_layout = _machine(how).data_layout
        module.verify()
    except RuntimeError as error:
        raise InternalError(
            f"LLVM refused the generated code; this is a mistake in snippets_mlir: {error}"
        ) from error
    if how.opt:
        _passes(how).run(module, kernels)
    return module


def _switch_strength_reduction(on: bool) -> None:
    option = f"-disable-lsr={'false' if on else 'true'}"
    llvm.set_option("snippets_mlir", option)  # pyright: ignore[reportUnknownMemberType]


def _generated(module: Any, kernels: bool, generate: Callable[[Any], T]) -> T:
    """The code of `generate` for `module`, without strength reduction for `kernels`."""
    if not kernels:
        return generate(module)
    with llvm_lock():
        _switch_strength_reduction(False)
        try:
            return generate(module)
        finally:
            _switch_strength_reduction(True)


def compile_object(
    llvm_text: str, *, triple: str, cpu: str, features: str, opt: int = 2, kernels: bool = False
) -> bytes:
    """Relocatable object code of `llvm_text`, whose functions are `kernels` or any others.

    It contains the conversions of 16-bit floats that LLVM calls, so it needs no library for them.
    """
    how = _How(triple, cpu, features, opt)
    image = _object(llvm_text, how, kernels)
    if "bfloat" in llvm_text or "half" in llvm_text:
        from snippets_mlir.codegen.stubs.roundings import with_missing

        if (text := with_missing(llvm_text, image)) is not None:
            return _object(text, how, kernels)
    return image


def _object(llvm_text: str, how: _How, kernels: bool) -> bytes:
    with span("LLVM passes", "phase"):
        module = _optimised(llvm_text, how, kernels)
    with span("machine code", "phase"):
        machine: Any = _machine(how).machine
        return bytes(_generated(module, kernels, machine.emit_object))


def compile_assembly(
    llvm_text: str,
    *,
    triple: str,
    cpu: str,
    features: str,
    kernels: bool = False,
    comments: bool = False,
) -> str:
    """Assembly of `llvm_text`, as `compile_object` assembles it by default.

    With `comments` LLVM annotates instructions, such as spills.
    """
    how = _How(triple, cpu, features, opt=2)
    machine: Any = target_machine(*how)
    machine.set_asm_verbosity(comments)
    module = _optimised(llvm_text, how, kernels)
    return str(_generated(module, kernels, machine.emit_assembly))
