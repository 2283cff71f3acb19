"""The pattern kind of any op.

* K1: an op with regions, or with known side effects, is opaque.
* K2: otherwise the attribute `fuse.pattern = "<kind>"` states the kind, and that the op has no side
  effects; an unknown kind is an error.
* K3: otherwise an op that may have side effects is opaque.
* K4: otherwise an op with the interface `HasFusePattern` states its kind; an `onnx.node` has the
  kind of its operator; any other op is opaque.
* K5: an op with operands or results other than tensors and tuples of tensors is opaque.
"""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.traits import get_effects

from snippets_mlir.analysis.fusion.kinds_of_onnx import kind_of_node
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.fusion import is_tensor_like
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, HasFusePattern, PatternKind
from snippets_mlir.support.diagnostics import close_match, position_of
from snippets_mlir.support.errors import CompileError

PATTERN = "fuse.pattern"

KINDS: dict[str, PatternKind] = {kind.text: kind for kind in PatternKind}


def parse_kind(attribute: Attribute, op: Operation) -> PatternKind:
    """The kind that an attribute of `op` names; `CompileError` for none."""
    text = attribute.data if isinstance(attribute, StringAttr) else str(attribute)
    if isinstance(attribute, StringAttr) and text in KINDS:
        return KINDS[text]
    hint = close_match(text, list(KINDS))
    raise CompileError(
        f"{PATTERN}: expected one of {', '.join(KINDS)}, found '{text}'{hint}", **position_of(op)
    )


def may_move(op: Operation) -> bool:
    """Whether `op` has neither regions nor side effects; `fuse.pattern` vouches for unknown ops."""
    if op.regions or op.successors:
        return False
    effects = get_effects(op)
    return PATTERN in op.attributes if effects is None else not effects


def is_on_tensors(op: Operation) -> bool:
    """Whether all operands and results are tensors or tuples of them."""
    return all(is_tensor_like(v.type) for v in (*op.operands, *op.results))


def kind_of(op: Operation, flavor: Flavor) -> PatternKind:
    """The kind of `op` by K1 to K5; raises `CompileError` for an unknown `fuse.pattern`."""
    named = op.attributes.get(PATTERN)
    kind = None if named is None else parse_kind(named, op)
    if not (may_move(op) and is_on_tensors(op)):
        return PatternKind.OPAQUE
    if kind is not None:
        return kind
    if isinstance(op, HasFusePattern):
        return op.fuse_pattern(flavor)
    return kind_of_node(op) if isinstance(op, NodeOp) else PatternKind.OPAQUE
