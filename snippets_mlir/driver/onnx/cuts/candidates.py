"""The candidates for kernels of an ONNX model, and the ops between kernels.

    attentions      as `snippets-tokenize-mha` finds them
    concats         as `snippets-tokenize-concats` does, with what computes their parts
    groups          of the other ops, as `snippets-tokenize` forms them

Adjacent candidates that include a matrix product are weighed together. Ops that only rename or
slice elements between kernels are no reason for a session.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, OpResult

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.costs import Estimate, pay
from snippets_mlir.analysis.engine.crossing import moves_elements
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.driver.onnx.bound.graph import components
from snippets_mlir.driver.onnx.cuts.rows import estimates_beside
from snippets_mlir.passes.graph.tokenize.machine_facts import Machine
from snippets_mlir.passes.graph.tokenize.plan import tokens_of
from snippets_mlir.passes.graph.tokenize.snippets_tokenize_concats import plan_concats
from snippets_mlir.passes.graph.tokenize.snippets_tokenize_mha import plan_attentions
from snippets_mlir.passes.graph.tokenize.tokens import Token, Tokens
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.targets.machine import machine

IN_ONE_KERNEL = "it is in an attention or a concat"


def candidates_of(block: Block, target: str, threads: int) -> Tokens:
    """The candidates of a block: its attentions, its concats, and the groups of the other ops."""
    described = machine(target)
    attentions = plan_attentions(block, described.second_cache).found
    concats = plan_concats(block).found
    whole = [
        Token(one.ops, tuple(_views_of(one.ops[-1])))
        for one in (*attentions, *concats)
        if one.reason is None
    ]
    inside = [op for token in whole for op in (*token.ops, *token.trailing)]
    for op in inside:
        op.attributes[SKIPPED] = StringAttr(IN_ONE_KERNEL)
    facts = Machine(described.second_cache, threads, described.side_by_side)
    tokens = tokens_of(block, 0, 0, facts)
    for op in inside:
        op.attributes.pop(SKIPPED, None)
    last = {token.ops[-1]: token for token in whole}
    order = (node if isinstance(node, Token) else last.get(node, node) for node in tokens.order)
    return Tokens(tuple(order), tokens.reasons)


def _views_of(op: Operation) -> Iterator[Operation]:
    """The views of the results of `op`, and their views."""
    for use in (use for result in op.results for use in result.uses):
        if is_view(use.operation):
            yield use.operation
            yield from _views_of(use.operation)


def with_products(groups: Sequence[Token], model: Model) -> dict[int, Estimate]:
    """The candidates beside matrix products that pay off together, by place, with their shares.

    A kernel with a product is adjacent to kernels that compute its operands and read its result: a
    cut for each would count sessions that do not exist.
    """
    found: dict[int, Estimate] = {}
    for members in beside_each_other(groups):
        ops = [[*groups[place].ops, *groups[place].trailing] for place in members]
        if not any(isinstance(op, MatMulOp) for some in ops for op in some):
            continue
        estimates = estimates_beside(model, ops)
        if pay(estimates):
            found.update(zip(members, estimates, strict=True))
    return found


def beside_each_other(groups: Sequence[Token]) -> list[list[int]]:
    """The places of connected candidates, of which one reads a result of another."""
    owner = {
        op: place for place, group in enumerate(groups) for op in (*group.ops, *group.trailing)
    }
    around: dict[int, set[int]] = {place: set() for place in range(len(groups))}
    for op, place in owner.items():
        for value in op.operands:
            if isinstance(value, OpResult) and (other := owner.get(value.op)) is not None:
                around[place].add(other)
                around[other].add(place)
    return [sorted(places) for places in components(around, around)]


def is_beside_kernels(op: Operation, inside: Collection[Operation]) -> bool:
    """Whether kernels or the caller provide the operand of `op`, and only kernels read its result.

    The caller may also read it. A view may have a result of a session as its source, which the
    session would otherwise copy: it writes the result to a given place, and its nodes share no
    memory with it. Other ops that only move elements are skipped.
    """
    made = _maker_of(op)
    while made is not None and moves_elements(made):
        made = _maker_of(made)
    if made is not None and made not in inside:
        return is_view(op) and _is_read_by_kernels(op, inside, caller=False)
    return _is_read_by_kernels(op, inside, caller=True)


def _maker_of(op: Operation) -> Operation | None:
    """The op that defines the first operand, None if it comes from the caller."""
    value = op.operands[0]
    return value.op if isinstance(value, OpResult) else None


def _is_read_by_kernels(op: Operation, inside: Collection[Operation], *, caller: bool) -> bool:
    """Whether only kernels, or also the `caller`, read the result of `op`."""
    readers = [use.operation for use in op.results[0].uses]
    while readers:
        reader = readers.pop()
        if moves_elements(reader):
            readers += [use.operation for use in reader.results[0].uses]
        elif reader not in inside and not (caller and reader.name == "func.return"):
            return False
    return True
