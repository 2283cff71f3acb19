"""Turn the body of a subgraph into the body of a kernel: scans, views and copies.

    %0 = snippets.cum_sum %a {axis = 1}        becomes    %0 = lir.scan %a {dim = 0, kind = "sum"}
    snippets.yield %a                          becomes    %1 = snippets.broadcast %a
                                                          snippets.yield %1

The bodies are in the forms of `analysis/graph/lowerable.py`.
"""

from xdsl.ir import Block, BlockArgument, OpResult

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.subgraph import YieldOp
from snippets_mlir.passes.program.kernel_ports import is_output_view


def scan_along_axes(block: Block) -> None:
    """Turn cumulative ops into scans, which have a dim of the kernel instead of an axis."""
    for op in [op for op in block.ops if isinstance(op, CumulativeOp)]:
        shape = shape_of(op.operand)
        value = op.operand
        if shape[op.axis] != 1:
            scan = ScanOp(value, op.COMBINES, len(shape) - 1 - op.axis)
            scan.location = op.location
            block.insert_op_before(scan, op)
            value = scan.result
        op.result.replace_all_uses_with(value)
        block.erase_op(op)


def see_apart(block: Block) -> None:
    """Let an op at places read an array through a view of its own if other ops read it, too.

    Accesses of one value share a pointer, and a loop moves it in one way: by the motion that the
    places leave to it, or from element to element.
    """
    for op in [op for op in block.ops if isinstance(op, PlacesOp)]:
        for index, value in enumerate(op.operands):
            if not value.has_one_use():
                view = ReshapeOp(value, shape_of(value))
                view.location = op.location
                block.insert_op_before(view, op)
                op.operands[index] = view.result


def copy_what_is_not_computed(terminator: YieldOp) -> None:
    """Yield a copy of a yielded input or scalar: only ops of a loop can be stored.

    No port describes a reshape of a transposed input: the transposed one is copied, and the copy is
    reshaped.
    """
    block = terminator.parent
    assert block is not None
    for concat in [op for op in block.ops if isinstance(op, ConcatOp)]:
        for index, part in enumerate(concat.parts):
            if isinstance(view_source(part), BlockArgument) or isinstance(part.owner, ScalarOp):
                copy = BroadcastOp(part, shape_of(part))
                block.insert_op_before(copy, concat)
                concat.operands[index] = copy.result
    for index, value in enumerate(terminator.values):
        if isinstance(view_source(value), BlockArgument) or isinstance(value.owner, ScalarOp):
            reshaped = (
                value.op if isinstance(value, OpResult) and is_output_view(value.op) else None
            )
            source = reshaped.operands[0] if reshaped is not None else value
            copy = BroadcastOp(source, shape_of(source))
            block.insert_op_before(copy, terminator)
            terminator.operands[index] = copy.result
            if reshaped is not None:
                view = ReshapeOp(copy.result, shape_of(value))
                block.insert_op_before(view, terminator)
                terminator.operands[index] = view.result
                if value.first_use is None:
                    block.erase_op(reshaped)
