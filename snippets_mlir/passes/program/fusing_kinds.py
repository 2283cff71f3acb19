"""The kinds of ops that a user leaves out of fusing: the option `off` of a pass.

    off=bias,relu

`bias` is an add of a constant, `sum` any other add. Every other kind is the name of an op of the
dialect `snippets`, such as `relu` or `multiply`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from snippets_mlir.dialects.program.data import DataOp
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.registry import records
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations.registry import computing_ops

BIAS, SUM = "bias", "sum"
PREFIX = "snippets."


def check_kinds(off: Sequence[str]) -> None:
    """`CompileError` for a kind that does not exist."""
    known = [BIAS, SUM, *(record.name.removeprefix(PREFIX) for record in records())]
    for kind in off:
        if kind not in known:
            raise CompileError(
                f"off: expected {BIAS}, {SUM} or the name of an op, found '{kind}'"
                f"{close_match(kind, known)}"
            )


def kinds_of(node: NodeOp) -> set[str]:
    """The kinds of what a node computes."""
    given = dict[SSAValue, SSAValue](zip(node.block.args, node.inputs, strict=True))
    found = set[str]()
    for op in computing_ops(node):
        found.add(op.name.removeprefix(PREFIX))
        if isinstance(op, AddOp):
            owners = [root_of(given.get(v, v)).owner for v in op.operands]
            constant = any(isinstance(owner, DataOp | ConstantOp | ScalarOp) for owner in owners)
            found.add(BIAS if constant else SUM)
    return found
