"""Split blocks in two at an op, and insert the blocks of its regions between the halves."""

from xdsl.ir import Block, Operation, Region
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.support.walking import ops_of


def terminator_of(region: Region) -> Operation:
    """The op that ends a region; inner control flow may have given it several blocks."""
    last = region.blocks[-1].last_op
    assert last is not None
    return last


def halves(op: Operation) -> tuple[Block, Block]:
    """The block before `op`, and a new one after it that begins with `op`.

    Like `Block.split_before`, which searches for the block's number in its region.
    """
    before = op.parent
    assert before is not None
    assert before.parent is not None
    end = Block()
    before.parent.insert_block_after(end, before)
    last = op._prev_op  # pyright: ignore[reportPrivateUsage]
    end._first_op, end._last_op = op, before._last_op  # pyright: ignore[reportPrivateUsage]
    before._last_op = last  # pyright: ignore[reportPrivateUsage]
    if last is None:
        before._first_op = None  # pyright: ignore[reportPrivateUsage]
    else:
        last._next_op = None  # pyright: ignore[reportPrivateUsage]
        op._prev_op = None  # pyright: ignore[reportPrivateUsage]
    for moved in ops_of(end):
        moved.parent = end
    return before, end


def halves_with_results(op: Operation, rewriter: PatternRewriter) -> tuple[Block, Block]:
    """The block before `op` and the one that starts with it, with an argument for each result."""
    before, end = halves(op)
    for result in op.results:
        result.replace_all_uses_with(
            rewriter.insert_block_argument(end, len(end.args), result.type)
        )
    return before, end


def end_with(block: Block, rewriter: PatternRewriter, branch: Operation) -> None:
    """Put a branch at the end of a block."""
    rewriter.insert(branch, InsertPoint.at_end(block))
