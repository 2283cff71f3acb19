"""Every value is defined before it is used.

Claim checked: for each use of a value by an op, the value is an argument of a block, or a result of
an op, that dominates the op. It comes earlier in the same block, or is in a block on every path
from the entry of the region to the op's block, or it dominates an op around the use. Unreachable
blocks are not checked, as in MLIR.

xDSL's `verify` does not check this. Linear in the number of uses, and in practice in the number of
blocks (Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001).
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.support.diagnostics import describe_value, format_position, position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import post_order, successors_of


def verify_dominance(module: ModuleOp) -> None:
    """Check the claim on a module.

    Raises:
        CompileError: at the first use that its definition does not dominate.
    """
    _check_op(module, set())


def _check_op(op: Operation, visible: set[SSAValue]) -> None:
    for region in op.regions:
        first = region.first_block
        if first is None:
            continue
        if first.next_block is None:
            added = _check_block(first, visible)
            visible.difference_update(added)
        else:
            _check_blocks(region, visible)


def _check_block(block: Block, visible: set[SSAValue]) -> list[SSAValue]:
    """Check a block; the values it defines are added to `visible` and returned."""
    added: list[SSAValue] = list(block.args)
    visible.update(added)
    for op in block.ops:
        for index, operand in enumerate(op.operands):
            if operand not in visible:
                raise _error(op, index, operand)
        if op.regions:
            _check_op(op, visible)
        results = op.results
        if results:
            visible.update(results)
            added.extend(results)
    return added


def _check_blocks(region: Region, visible: set[SSAValue]) -> None:
    """Visit the dominator tree; definitions of a block are visible in the blocks under it."""
    children = dominator_tree(region)
    stack: list[tuple[Block, list[SSAValue] | None]] = [(region.blocks[0], None)]
    while stack:
        block, added = stack.pop()
        if added is not None:
            visible.difference_update(added)
            continue
        stack.append((block, _check_block(block, visible)))
        stack.extend((child, None) for child in reversed(children[block]))


def dominator_tree(region: Region) -> dict[Block, list[Block]]:
    """For each reachable block of a region the blocks that it immediately dominates."""
    entry = region.blocks[0]
    order = post_order(entry)
    number = {block: index for index, block in enumerate(order)}
    predecessors: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for successor in successors_of(block):
            predecessors[successor].append(block)
    above: dict[Block, Block] = {entry: entry}

    def common(a: Block, b: Block) -> Block:
        while a is not b:
            while number[a] < number[b]:
                a = above[a]
            while number[b] < number[a]:
                b = above[b]
        return a

    changed = True
    while changed:
        changed = False
        for block in reversed(order[:-1]):
            known = [p for p in predecessors[block] if p in above]
            found = known[0]
            for other in known[1:]:
                found = common(found, other)
            if above.get(block) is not found:
                above[block] = found
                changed = True
    children: dict[Block, list[Block]] = {block: [] for block in order}
    for block in reversed(order[:-1]):
        children[above[block]].append(block)
    return children


def _error(op: Operation, index: int, value: SSAValue) -> CompileError:
    owner = value.owner
    definition = owner if isinstance(owner, Operation) else owner.parent_op()
    place = "an unknown place" if definition is None else format_position(position_of(definition))
    return CompileError(
        f"operand #{index} of '{op.name}', {describe_value(value)}, does not dominate this use; "
        f"it is defined at {place}",
        **position_of(op),
    )
