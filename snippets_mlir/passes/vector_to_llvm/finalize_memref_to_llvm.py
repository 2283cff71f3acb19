"""Lower `memref` to the `llvm` dialect: descriptors, pointers, `malloc` and `free`.

    %0 = memref.load %A[%i, %j] : memref<?x4xf32>

becomes

    %p = llvm.extractvalue %A[1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
    (%o: %i * 4 + %j)
    %q = llvm.getelementptr inbounds %p[%o] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %0 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> f32

Loads and stores have the alignment of one element; an allocation has its `alignment`. Leaves
unranked memrefs, `memref.copy` (`memref-expand` turns it into loops) and `memref.atomic_rmw`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import ClassVar, cast

from typing_extensions import override
from xdsl.dialects import llvm
from xdsl.dialects import memref as upstream
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.llvm import memory as llvm_memory
from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.dialects.memref import access, memory
from snippets_mlir.passes.building.conversion import (
    PREFETCH,
    ConversionPass,
    converts,
    kernel_functions,
)
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.patterns import AnyPattern, Pattern
from snippets_mlir.passes.vector_to_llvm.descriptors import (
    from_memory,
    memory_type,
    natural_alignment,
    to_memory,
)
from snippets_mlir.passes.vector_to_llvm.externals import declare
from snippets_mlir.passes.vector_to_llvm.memref_allocation import ALLOCATION, FUNCTIONS
from snippets_mlir.passes.vector_to_llvm.memref_facts import FACTS
from snippets_mlir.passes.vector_to_llvm.memref_views import VIEWS, descriptor
from snippets_mlir.support.walking import ops_inside

_NOT_ATOMIC = IntegerAttr(0, i64)


@cache
def access_properties(alignment: int, nontemporal: bool) -> Mapping[str, Attribute]:
    """The properties of an `llvm.load` or `llvm.store`."""
    properties: dict[str, Attribute] = {
        "alignment": IntegerAttr(alignment, i64),
        "ordering": _NOT_ATOMIC,
    }
    if nontemporal:
        properties["nontemporal"] = UnitAttr()
    return properties


def access_of(op: Operation, element: Attribute) -> Mapping[str, Attribute]:
    """The properties of the `llvm` access that `op` becomes: its alignment, or an element's."""
    given = op.properties.get("alignment")
    least = natural_alignment(element)
    alignment = max(given.value.data, least) if isinstance(given, IntegerAttr) else least
    flag = op.properties.get("nontemporal")
    return access_properties(alignment, isinstance(flag, IntegerAttr) and bool(flag.value.data))


def _load(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.load` at the address of the element."""
    assert isinstance(op, upstream.LoadOp)
    element = element_of(op.memref.type)
    pointer = descriptor(low, op.memref).pointer([low.operand(i) for i in op.indices])
    properties = access_of(op, element)
    loaded = low.make(llvm_memory.LoadOp, (pointer,), memory_type(element), properties)
    return (from_memory(low, loaded, element),)


def _store(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.store` at the address of the element."""
    assert isinstance(op, upstream.StoreOp)
    element = element_of(op.memref.type)
    pointer = descriptor(low, op.memref).pointer([low.operand(i) for i in op.indices])
    value = to_memory(low, low.operand(op.value), element)
    low.insert(llvm_memory.StoreOp, (value, pointer), (), access_of(op, element))
    return ()


def _prefetch(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.prefetch` of the address of the element."""
    assert isinstance(op, access.PrefetchOp)
    pointer = descriptor(low, op.memref).pointer([low.operand(i) for i in op.indices])
    numbers = (op.hints.write, op.hints.locality, op.hints.data)
    arguments = (pointer, *(low.integer(int(n), i32) for n in numbers))
    low.insert(llvm.CallIntrinsicOp, arguments, (), dict(PREFETCH))
    return ()


ACCESSES = (
    converts(access.PrefetchOp, _prefetch),
    converts(upstream.LoadOp, _load),
    converts(upstream.StoreOp, _store),
)


def _global(op: memory.GlobalOp) -> Operation:
    """The `llvm.mlir.global` of a buffer: a flat array."""
    count = prod(extents_of(op.type))
    element = memory_type(element_of(op.type))
    value: Attribute | None = None
    given = op.initial_value
    if isinstance(given, DenseIntOrFPElementsAttr):
        tensor = cast("TensorType[llvm.IntegerType]", TensorType(element, [count]))  # pyright: ignore
        value = DenseIntOrFPElementsAttr(tensor, BytesAttr(given.data.data))
    alignment = op.alignment.value.data if op.alignment is not None else None
    private = op.sym_visibility is not None and op.sym_visibility.data == "private"
    return GlobalOp(
        LLVMArrayType(count, element),
        op.sym_name,
        "internal" if private or op.initial_value is not None else "external",
        constant=op.constant is not None,
        value=value,
        alignment=max(alignment or 1, natural_alignment(element_of(op.type))),
        body=Region(),
    )


class GlobalBuffer(Pattern[memory.GlobalOp, memory.GlobalOp]):
    """A flat array, as `llvm.mlir.global`."""

    name = "memref-global"
    ops = (memory.GlobalOp,)

    @override
    def match(self, op: memory.GlobalOp) -> memory.GlobalOp:
        return op

    def rewrite(
        self, op: memory.GlobalOp, match: memory.GlobalOp, rewriter: PatternRewriter
    ) -> None:
        """Put the array where the buffer was."""
        made = _global(op)
        made.location = op.location
        rewriter.replace(op, made)


@dataclass(frozen=True)
class FinalizeMemRefToLLVMPass(ConversionPass):
    """Lower memref to the llvm dialect."""

    name: ClassVar[str] = "finalize-memref-to-llvm"
    PATTERNS = (*VIEWS, *FACTS, *ACCESSES, *ALLOCATION, GlobalBuffer)

    @override
    def earlier(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        yield module, [GlobalBuffer() for p in self.enabled() if p is GlobalBuffer]

    def complete(self, module: ModuleOp) -> None:
        """Declare the functions of libc that are called."""
        called = {
            call.callee.string_value()
            for function in kernel_functions(module)
            for call in ops_inside(function)
            if isinstance(call, llvm.CallOp) and call.callee is not None
        }
        declare(module, {name: type for name, type in FUNCTIONS.items() if name in called})
