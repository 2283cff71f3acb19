"""The result of a partitioner: the parts of a program, and the bytes that move between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.driver.settings import default_context
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes


@dataclass(frozen=True)
class Partition:
    """The parts of a program.

    Attributes:
        parts: subgraphs, and ops beside them.
        fused: the number of parts with several ops.
        bytes_moved: bytes that the parts read and write; constants and views are free, and a
            dynamic dim counts as 1.
    """

    parts: int
    fused: int
    bytes_moved: int


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.has_trait(ConstantLike)


def _bytes(value: SSAValue) -> int:
    if not isinstance(value.type, TensorType):
        return 0
    type_ = tensor_of(value)
    count = prod(1 if d == DYNAMIC else d for d in static_shape(shape_of(type_)))
    return count * int(numpy_dtype(type_.element_type).itemsize)


def _traffic(op: Operation) -> int:
    if is_view(op):
        return 0
    read = {v for v in op.operands if not _is_constant(v)}
    return sum(map(_bytes, read)) + sum(map(_bytes, op.results))


def _holds_several(op: Operation) -> bool:
    if not isinstance(op, SubgraphOp):
        return False
    structural = (ConstantLike, IsTerminator)
    return sum(not any(o.has_trait(t) for t in structural) for o in op.block.ops) > 1


def partition_of(module: ModuleOp, entry: str) -> Partition:
    """The parts of the entry function of a partitioned module."""
    ops: Sequence[Operation] = [
        op
        for op in body_of(find_entry(module, entry)).ops
        if not (op.has_trait(IsTerminator) or op.has_trait(ConstantLike))
    ]
    return Partition(len(ops), sum(map(_holds_several, ops)), sum(map(_traffic, ops)))


def partition_by(source: Source, passes: str) -> Partition:
    """The parts of a program after the textual pipeline `passes`."""
    ctx = default_context()
    module = source.module_for(None)
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    return partition_of(module, source.entry)
