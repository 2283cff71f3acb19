"""The two functions of a kernel: its entry, with the kernel interface, and its body.

func.func @k(%args, %begin, %end, %thread)           reads arrays, symbols and the scratchpad
func.func private @k.body(%x, .., %begin, %end)      its arrays do not overlap: llvm.noalias
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    UnitAttr,
    i8,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue

from snippets_mlir.analysis.kernels.aligned_ranges import aligned_array
from snippets_mlir.analysis.kernels.kernel_cost import cost_of
from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.size_facts import symbols_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr, is_size, size_attr, size_in
from snippets_mlir.dialects.builtin.slots import SCRATCH
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.aligned import ALIGNED, aligned_attr
from snippets_mlir.dialects.lir.buffer import CLUSTERS, BufferOp
from snippets_mlir.dialects.lir.choices import ON_FUNCTION, ON_KERNEL
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loop_tree import domain_of
from snippets_mlir.dialects.lir.perf_count import (
    COUNTERS,
    counters_attr,
    counters_of,
    row_words,
)
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.registers import SLOT_BASE
from snippets_mlir.dialects.lir.sites import RECORD_WORDS, SITES, has_sites, sites_attr
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.lir_to_vector.debug_emission import (
    DebugEmission,
    enter_thread,
    leave_thread,
)
from snippets_mlir.passes.lir_to_vector.kernel_emission import KernelEmission
from snippets_mlir.passes.lir_to_vector.kernel_values import Given
from snippets_mlir.passes.lir_to_vector.lookup_tables import LookupTables
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

_POINTER = LLVMPointerType()


def body_function(ctx: Context, kernel: KernelOp, tables: LookupTables) -> FuncOp:
    """The body: its arguments are the arrays, other needs of the kernel, and the range."""
    arrays = len(kernel.function_type.inputs) + len(kernel.function_type.outputs)
    noalias = DictionaryAttr({"llvm.noalias": UnitAttr()})
    counted, watched = bool(counters_of(kernel)), has_sites(kernel)
    dynamic = kernel.dynamic
    all_pointers = arrays + sum((counted, watched, kernel.scratch != 0, dynamic))
    function = FuncOp(
        f"{kernel.sym_name.data}.body",
        ([_POINTER] * all_pointers + [i64, i64], []),
        visibility="private",
        arg_attrs=ArrayAttr([noalias] * all_pointers + [DictionaryAttr({})] * 2),
    )
    *pointers, begin, end = function.args
    slots = pointers.pop() if dynamic else None
    if slots is not None:
        slots.name_hint = "rt"
    scratch = pointers.pop() if kernel.scratch != 0 else None
    if scratch is not None:
        scratch.name_hint = "scratch"
    record = pointers.pop() if watched else None
    if record is not None:
        record.name_hint = "record"
    counters = pointers.pop() if counted else None
    if counters is not None:
        counters.name_hint = "counters"
    hints = [v.name_hint for v in kernel.block.args]
    for pointer, hint in zip(pointers, hints, strict=False):
        pointer.name_hint = hint
    for index, pointer in enumerate(pointers[len(hints) :]):
        pointer.name_hint = f"out{index}"
    begin.name_hint, end.name_hint = "begin", "end"
    builder = VectorBuilder(ctx, function.body.block, tables.name, tables.machine)
    symbols = _load_symbols(builder, kernel, slots) if slots is not None else {}
    given = Given(kernel, builder, pointers, (begin, end), scratch, symbols)
    if counted or watched:
        emission = DebugEmission(given, counters, record)
        emission.run()
        if watched:
            function.attributes[SITES] = sites_attr(emission.sites)
    else:
        KernelEmission(given).run()
    builder.append(ReturnOp())
    return function


def symbols_in(kernel: KernelOp) -> list[int]:
    """The symbols in the sizes of `kernel`, in ascending order."""
    table = kernel.loop_table.values()
    sizes: set[Dim] = {size for loop in table for size in loop.sizes}
    if is_size(base := kernel.attributes.get(SLOT_BASE)):
        sizes.add(size_in(base))
    shared: dict[int, PortDescriptor] = {}
    for op in kernel.block.ops:
        found = ports(op)
        shared.update(zip(map(id, found), found, strict=True))
        if isinstance(op, BufferOp):
            offset = op.decided_size("offset")
            sizes.add(0 if offset is None else offset)
        elif isinstance(op, ScalarOp) and isinstance(op.value, SizeAttr):
            sizes.add(op.value.size)
        elif isinstance(op, GatherOp):
            sizes.update((*op.limits, *op.steps))
    # Strides that a port does not give are products of sizes of its shape. Ports share shapes.
    shapes = {id(it): it for port in shared.values() for it in (port.shape, port.strides)}
    for shape in shapes.values():
        sizes.update(shape)
    return sorted({index for size in sizes for index in symbols_of(size)})


def _load_symbols(builder: VectorBuilder, kernel: KernelOp, slots: SSAValue) -> dict[int, SSAValue]:
    return {
        index: builder.load(builder.pointer_offset(slots, i64, index), i64, 8)
        for index in symbols_in(kernel)
    }


def entry_function(ctx: Context, kernel: KernelOp, body: FuncOp, tables: LookupTables) -> FuncOp:
    """The function that the runtime calls, with the facts for the runtime as attributes."""
    function = FuncOp(kernel.sym_name.data, ([_POINTER, i64, i64, i64], []))
    for argument, hint in zip(function.args, ("args", "begin", "end", "thread"), strict=True):
        argument.name_hint = hint
    args, begin, end, thread = function.args
    builder = VectorBuilder(ctx, function.body.block, tables.name)
    data = builder.load(args, _POINTER, 8)
    arrays: list[SSAValue] = [
        builder.load(builder.pointer_offset(data, _POINTER, i), _POINTER, 8)
        for i in range(len(kernel.function_type.inputs) + len(kernel.function_type.outputs))
    ]

    def add_row(words: int) -> SSAValue:
        """The thread's row of the next array of `data`."""
        rows = builder.load(builder.pointer_offset(data, _POINTER, len(arrays)), _POINTER, 8)
        row = builder.op("arith.muli", [thread, builder.index(words)])
        arrays.append(builder.pointer_offset(rows, i64, row))
        return arrays[-1]

    if counters := counters_of(kernel):
        add_row(row_words(len(counters)))
        function.attributes[COUNTERS] = counters_attr(list(counters.values()))
    record = add_row(RECORD_WORDS) if SITES in body.attributes else None
    if record is not None:
        function.attributes[SITES] = body.attributes.pop(SITES)
        enter_thread(builder, record)
    if kernel.scratch != 0:
        base = builder.load(builder.pointer_offset(args, _POINTER, 2), _POINTER, 8)
        if isinstance(kernel.scratch, Size):
            slots = builder.load(builder.pointer_offset(args, _POINTER, 1), _POINTER, 8)
            size = builder.load(builder.pointer_offset(slots, i64, SCRATCH), i64, 8)
        else:
            size = builder.index(kernel.scratch)
        offset = builder.op("arith.muli", [thread, size])
        arrays.append(builder.pointer_offset(base, i8, offset))
    if kernel.dynamic:
        arrays.append(builder.load(builder.pointer_offset(args, _POINTER, 1), _POINTER, 8))
    builder.append(CallOp(body.sym_name.data, [*arrays, begin, end], []))
    if record is not None:
        leave_thread(builder, record)
    builder.append(ReturnOp())
    domain, cost = domain_of(kernel), cost_of(kernel)
    function.attributes["snippets.kernel"] = UnitAttr()
    for name, value in (
        ("domain", domain.size),
        ("grain", domain.grain),
        ("scratch", kernel.scratch),
        ("cost", cost.element),
        ("space", cost.space),
    ):
        function.attributes[f"snippets.{name}"] = size_attr(value)
    vector = 4 * tables.machine.lanes if tables.machine is not None else 0
    if (aligned := aligned_array(kernel, cost.element, vector)) is not None:
        function.attributes[ALIGNED] = aligned_attr(*aligned)
    if (clusters := kernel.attributes.get(CLUSTERS)) is not None:
        function.attributes["snippets.clusters"] = clusters
    if (choices := kernel.attributes.get(ON_KERNEL)) is not None:
        function.attributes[ON_FUNCTION] = choices
    return function
