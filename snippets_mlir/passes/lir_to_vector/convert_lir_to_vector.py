"""Turn each `lir.kernel` into functions on vectors and pointers with the kernel interface.

    lir.kernel @k "expanded" (%x: tensor<64xf32>) -> tensor<64xf32> loops [...] { ... }

becomes

    func.func @k(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64)
        attributes {snippets.kernel, snippets.domain = 64, snippets.grain = 8, snippets.scratch =
        0} {
      ... one llvm.load per array ...
      func.call @k.body(%x, %out, %begin, %end)
    }
    func.func private @k.body(%x: !llvm.ptr {llvm.noalias}, %out: !llvm.ptr {llvm.noalias}, %begin:
    i64, %end: i64) {
      scf.for %i = %begin to %end step %c8 iter_args(%p = ..., %q = ...) -> (!llvm.ptr, !llvm.ptr)
      : i64 {
        %v = llvm.load %p {alignment = 4} ...
    }

`Args` is `{ void **data; const int64_t *rt; char *scratch; }`; `data` holds the inputs, then the
outputs, all dense and row-major, i1 as one byte. `begin..end` is a range of the parallel domain
(`snippets.domain`) and starts at a multiple of `snippets.grain`; `snippets.cost` estimates the
picoseconds for each of `snippets.space` elements (`analysis/kernels/kernel_cost.py`). With
`snippets.aligned = array<i64: array, bytes>` ranges may begin anywhere, and best where that array
of `data` is on a cache line (`dialects/lir/aligned.py`). The body is a separate function, so that
LLVM knows that the arrays do not overlap. A kernel with buffers gets the scratchpad of its thread
as one more array: `scratch + thread * snippets.scratch`. A kernel with dynamic dimensions reads the
values of its symbols from `rt` (`dialects/builtin/dims.py`); its domain and scratchpad are
formulas, too. A kernel with counters has one more array in `data`, after the outputs, with a row of
counts for each thread (`dialects/lir/perf_count.py`). A kernel with the segfault detector has one
for its records (`dialects/lir/sites.py`).

Refuses kernels that are not `expanded`, and ops without an emitter.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.dialects.func import FuncOp

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel, kernels_of
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.lir_to_vector.debug_emission import (
    CLOCK_FUNCTION,
    clock_declaration,
    needs_clock,
)
from snippets_mlir.passes.lir_to_vector.kernel_functions import body_function, entry_function
from snippets_mlir.passes.lir_to_vector.lookup_tables import LookupTables
from snippets_mlir.targets.attributes import TARGET, machine_of


def _has_symbol(module: ModuleOp, name: str) -> bool:
    """Whether a function of the module is called `name`."""
    return any(isinstance(op, FuncOp) and op.sym_name.data == name for op in module.ops)


@dataclass(frozen=True)
class ConvertLirToVectorPass(Pass):
    """Turn kernels of the linear IR into functions on vectors."""

    name = "convert-lir-to-vector"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("expanded",), "vector")
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every kernel, which has to be at stage `expanded`."""
        tables = LookupTables(ctx, machine_of(op) if TARGET in op.attributes else None)

        def convert(kernel: KernelOp) -> None:
            body = body_function(ctx, kernel, tables)
            entry = entry_function(ctx, kernel, body, tables)
            for function in (entry, body):
                function.location = kernel.location
                op.body.block.insert_op_before(function, kernel)
            op.body.block.detach_op(kernel)

        if any(map(needs_clock, kernels_of(op))) and not _has_symbol(op, CLOCK_FUNCTION):
            op.body.block.add_op(clock_declaration())
        for_each_kernel(op, ("expanded",), convert)
        for table in tables.by_value.values():
            op.body.block.add_op(table)
