"""One thing wrong with a kernel is noticed when the kernel runs, and said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TypeVar

import numpy as np
import pytest
from stage_kernels import KERNELS
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import ports, set_ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import LoadOp, StoreOp
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.dialects.lir.reduction import FillOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

AnyOp = TypeVar("AnyOp", bound=Operation)

TARGET = "snippets-set-target{target=x86-64-avx512}"
PIPELINE = PIPELINES["snippets-to-llvm"].replace("snippets-set-target", TARGET)


@cache
def text_before(name: str, last: str) -> str:
    """The kernel `name` on 16 lanes, its loops not unrolled, as the pass `last` gets it."""
    ctx = make_context()
    module = parse_module(KERNELS[name], ctx)
    pipeline = PIPELINE.replace(",lir-unroll", "").partition(f",{last}")[0]
    run_passes(module, ctx, parse_pipeline(pipeline, ctx))
    return print_module(module)


def run(module: ModuleOp) -> None:
    x = np.random.default_rng(0).standard_normal((3, 21)).astype(np.float32)
    Interpreter(module).run("main", [x])


def kernel_of(module: ModuleOp) -> KernelOp:
    (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
    return kernel


def ops_of(kernel: KernelOp, kind: type[AnyOp]) -> list[AnyOp]:
    return [op for op in kernel.block.ops if isinstance(op, kind)]


def of_input(kernel: KernelOp) -> list[LoadOp]:
    return [op for op in ops_of(kernel, LoadOp) if op.source in kernel.block.args]


def change_motion(op: Operation, port: int, change: Callable[[LoopPort], LoopPort]) -> None:
    """Change what the innermost loop does to the pointer of a port."""
    all_ports = list(ports(op))
    *outer, inner = all_ports[port].loops
    all_ports[port] = replace(all_ports[port], loops=(*outer, change(inner)))
    set_ports(op, all_ports)


def double_the_increment_of_a_load(kernel: KernelOp) -> None:
    change_motion(of_input(kernel)[0], 0, lambda m: replace(m, pointer_increment=2))


def rewind_a_load_too_little(kernel: KernelOp) -> None:
    change_motion(of_input(kernel)[1], 0, lambda m: replace(m, finalization_offset=-20))


def rewind_a_load_too_far(kernel: KernelOp) -> None:
    change_motion(of_input(kernel)[1], 0, lambda m: replace(m, finalization_offset=-43))


def rewind_the_output_too_little(kernel: KernelOp) -> None:
    store = ops_of(kernel, StoreOp)[-1]
    change_motion(store, 1, lambda m: replace(m, finalization_offset=-20))


def load_the_whole_vector_in_the_tail(kernel: KernelOp) -> None:
    of_input(kernel)[1].set_elements(16)


def load_more_than_a_vector(kernel: KernelOp) -> None:
    of_input(kernel)[0].set_elements(17)


def store_less_of_the_output(kernel: KernelOp) -> None:
    ops_of(kernel, StoreOp)[-1].set_elements(4)


def store_more_of_the_output(kernel: KernelOp) -> None:
    ops_of(kernel, StoreOp)[-1].set_elements(6)


def store_less_into_a_buffer(kernel: KernelOp) -> None:
    ops_of(kernel, StoreOp)[0].set_elements(15)


def put_buffers_upon_each_other(kernel: KernelOp) -> None:
    for buffer in ops_of(kernel, BufferOp):
        buffer.decide("offset", 0)


def let_buffers_overlap_by_one_element(kernel: KernelOp) -> None:
    for buffer, offset in zip(ops_of(kernel, BufferOp), (0, 80), strict=True):
        buffer.decide("offset", offset)


def put_a_buffer_behind_the_scratchpad(kernel: KernelOp) -> None:
    ops_of(kernel, BufferOp)[0].decide("offset", kernel.scratch)


def make_a_buffer_too_small(kernel: KernelOp) -> None:
    ops_of(kernel, BufferOp)[0].decide("size", 80)


def fill_no_lanes_in_the_tail(kernel: KernelOp) -> None:
    ops_of(kernel, FillOp)[1].set_first_filled(16)


def move_one_pointer_in_two_ways(kernel: KernelOp) -> None:
    for store, increment in zip(ops_of(kernel, StoreOp), (1, 3), strict=False):
        change_motion(store, 1, lambda m, step=increment: replace(m, pointer_increment=step))


MUTATIONS: dict[Callable[[KernelOp], None], str] = {
    double_the_increment_of_a_load: r"lir\.load: accesses elements \d+ to \d+ of an array of 63",
    rewind_a_load_too_little: r"accesses elements .* of an array of 63",
    rewind_a_load_too_far: r"accesses elements -1 to 14 of an array of 63",
    rewind_the_output_too_little: r"lir\.store: accesses elements .* of an array of 63",
    load_the_whole_vector_in_the_tail: r"accesses elements 58 to 73 of an array of 63",
    load_more_than_a_vector: r"L19: in @subgraph_0: expected lir\.load of 1 to 16 elements",
    store_less_of_the_output: r"element 20 of output 0 was never written",
    store_more_of_the_output: r"the stored value is poison: lane 5 was never given a value",
    store_less_into_a_buffer: r"reads byte \d+ of the scratchpad, which was never written",
    put_buffers_upon_each_other: r"which another buffer has overwritten",
    let_buffers_overlap_by_one_element: r"which another buffer has overwritten",
    put_a_buffer_behind_the_scratchpad: r"takes bytes 256 to 340 of a scratchpad that has 256",
    make_a_buffer_too_small: r"buffer 0 has 80 bytes; its port needs 84",
    fill_no_lanes_in_the_tail: r"what is folded into one element is poison: lane 5",
    move_one_pointer_in_two_ways: r"accesses that share a pointer move it differently in loop",
}


def test_the_kernel_is_right_before_it_is_changed() -> None:
    run(parse_module(text_before("two_buffers", "convert-lir-to-vector"), make_context()))


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda f: f.__name__)
def test_a_wrong_kernel_is_refused(mutate: Callable[[KernelOp], None]) -> None:
    """By law L8 where a unit of the parallel loop ends elsewhere, else by what it accesses."""
    module = parse_module(text_before("two_buffers", "convert-lir-to-vector"), make_context())
    mutate(kernel_of(module))
    with pytest.raises(CompileError, match=rf"{MUTATIONS[mutate]}|L8: in @subgraph_0: expected"):
        run(module)


# At the vector level: what is replaced in the text, and what is said then.
_MASK = "dense<[true, true, true, true, true, false"
REPLACEMENTS: dict[tuple[str, str], str] = {
    ("alignment = 4 : i64} : !llvm.ptr -> vector", "alignment = 64 : i64} : !llvm.ptr -> vector"): (
        r"the address input 0 \+ 0 bytes is not aligned to 64 bytes"
    ),
    ("[16] : (!llvm.ptr) -> !llvm.ptr, f32", "[17] : (!llvm.ptr) -> !llvm.ptr, f32"): (
        r"reads byte 192 of the scratchpad, which was never written"
    ),
    ("arith.muli %thread,", "arith.muli %end,"): r"bytes at byte \d+ of the scratchpad, which",
    ("arith.constant 1 : i64", "arith.constant 0 : i64"): r"expected a positive step, found 0",
    (_MASK, "dense<[true, true, true, true, true, true"): r"byte 252 of input 0, which has 252",
    (_MASK, "dense<[true, true, true, true, false, false"): r"element 20 of output 0 was never",
}


@pytest.mark.parametrize("replaced", REPLACEMENTS, ids=lambda pair: pair[1])
def test_wrong_vector_code_is_refused(replaced: tuple[str, str]) -> None:
    text = text_before("two_buffers", "convert-scf-to-cf")
    assert replaced[0] in text
    module = parse_module(text.replace(*replaced), make_context())
    with pytest.raises(CompileError, match=REPLACEMENTS[replaced]):
        run(module)
