"""The fusion graph of a block, by the rules of Relay or of Relax.

| | Relay | Relax |
|---|---|---|
| order | post-order of the search from the results | order of the text |
| edge of a broadcast op from an operand of the result's shape | elementwise | the op's kind |
| constant of rank 0 | elementwise | opaque |
| `snippets.tuple` | kind tuple, edges injective | opaque |
| values in an op's regions | extern | opaque edges |
| several results of the block | one tuple, which is extern | each value is extern |

In both, arguments and values from outside are opaque extern nodes, the arguments first, and values
that other blocks read are extern. An op with several results is one node; Relay would have more
nodes to take its tuple apart. Source: TVM's FuseOps.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import StringAttr, TensorType, TupleType, f32, f64, i1, i32, i64
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from snippets_mlir.analysis.fusion.graph import FusionGraph, Node, Role
from snippets_mlir.analysis.fusion.kinds import kind_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.fusion import TupleGetOp, TupleOp
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, PatternKind
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.support.walking import values_used

SCALARS = (f32, f64, i1, i32, i64)
NUM_INPUT = "num_input"


def short_name(op: Operation) -> str:
    """The op's name without its dialect; an ONNX node's operator; of other ops the text's name."""
    if isinstance(op, NodeOp):
        return op.op_type.data
    unknown = op.attributes.get("op_name__")
    name = unknown.data if isinstance(unknown, StringAttr) else op.name
    return name.partition(".")[2] or name


def fusion_graph_of(block: Block, flavor: Flavor) -> FusionGraph:
    """The graph of a block; raises `CompileError` for an unknown `fuse.pattern`."""
    return _Builder(block, flavor).run()


class _Builder:
    def __init__(self, block: Block, flavor: Flavor) -> None:
        self.block, self.is_relay = block, flavor is Flavor.RELAY
        self.flavor = flavor
        self.graph = FusionGraph()
        self.node_of: dict[SSAValue | Operation, Node] = {}

    def run(self) -> FusionGraph:
        for argument in self.block.args:
            self._var(argument)
        ops = list(self.block.ops)
        terminator = ops[-1] if ops and _has_trait(ops[-1], IsTerminator) else None
        if self.is_relay and terminator is not None:
            self._search(values_used(terminator))
            self._return(terminator)
        for op in ops:
            if op is not terminator:
                self._search([], op)
        if not self.is_relay and terminator is not None:
            for value in values_used(terminator):
                if (node := self._known(value)) is not None:
                    node.is_extern = True
        return self.graph

    def _known(self, value: SSAValue) -> Node | None:
        if isinstance(value, OpResult) and value.op.parent is self.block:
            return self.node_of.get(value.op)
        return self.node_of.get(value)

    def _var(self, value: SSAValue) -> Node:
        if (node := self.node_of.get(value)) is None:
            place = value.index if isinstance(value, BlockArgument) else len(self.graph.nodes)
            label = f"%{value.name_hint or place}"
            node = self.graph.add_node(
                PatternKind.OPAQUE, role=Role.VAR, label=label, ref=value, is_extern=True
            )
            node.argument_count = 1 + _additional(value, strides=True)
            self.node_of[value] = node
        return node

    def _search(self, values: Iterable[SSAValue], first: Operation | None = None) -> None:
        """Add the ops that `values` need, and `first`, each after what it needs."""
        stack: list[tuple[Operation, bool]] = [(first, False)] if first is not None else []
        stack += [(o, False) for v in reversed([*values]) if (o := self._owner(v)) is not None]
        while stack:
            op, is_ready = stack.pop()
            if op in self.node_of:
                continue
            if is_ready:
                self._add(op)
                continue
            stack.append((op, True))
            for value in reversed(values_used(op)):
                if (owner := self._owner(value)) is not None and owner not in self.node_of:
                    stack.append((owner, False))

    def _owner(self, value: SSAValue) -> Operation | None:
        """The op of this block that makes `value`; an outer value becomes a node here."""
        if isinstance(value, OpResult) and value.op.parent is self.block:
            return value.op
        inside = _parent_in(value, self.block)
        if not inside:
            self._var(value)
        return None

    def _add(self, op: Operation) -> None:
        is_constant = _has_trait(op, ConstantLike)
        kind = self._constant_kind(op) if is_constant else kind_of(op, self.flavor)
        node = self.graph.add_node(kind, role=_role(op, is_constant), label=short_name(op), ref=op)
        node.is_extern = any(
            use.operation.parent is not self.block for v in op.results for use in v.uses
        )
        self.node_of[op] = node
        if self.is_relay:
            self._relay_edges(op, node)
        else:
            self._relax_edges(op, node)
        if len(op.results) == 1:
            node.dynamic_dims = _additional(op.results[0], strides=False)
        if node.role in (Role.CALL, Role.TUPLE):
            node.argument_count = self._arguments(op.operands)

    def _constant_kind(self, op: Operation) -> PatternKind:
        (value,) = op.results
        if self.is_relay and isinstance(value.type, TensorType):
            type_ = tensor_of(value)
            if not shape_of(type_) and type_.element_type in SCALARS:
                return PatternKind.ELEMWISE
        return PatternKind.OPAQUE

    def _arguments(self, values: Iterable[SSAValue]) -> int:
        read = [(v, n) for v in values if (n := self._known(v)) is not None]
        return sum(
            1 + _additional(v, strides=True) for v, n in read if n.role in (Role.VAR, Role.GET)
        )

    def _edge(self, value: SSAValue, consumer: Node, pattern: PatternKind) -> None:
        producer = self._known(value)
        if producer is not None:
            self.graph.add_edge(producer, consumer, pattern)

    def _make_extern(self, value: SSAValue) -> None:
        if (node := self._known(value)) is not None:
            node.is_extern = True

    def _relay_edges(self, op: Operation, node: Node) -> None:
        if op.regions:
            for value in values_used(op):
                self._make_extern(value)
        elif isinstance(op, TupleOp):
            self._fields(op.operands, node)
        elif isinstance(op, TupleGetOp) and not _has_only_tensors(op.tuple):
            node.pattern = PatternKind.OPAQUE
            self._make_extern(op.tuple)
        else:
            for value in op.operands:
                self._edge(value, node, _relay_edge(op, value, node.pattern))

    def _fields(self, values: Iterable[SSAValue], node: Node) -> None:
        for value in values:
            if isinstance(value.type, TensorType):
                self._edge(value, node, PatternKind.INJECTIVE)
            else:
                self._make_extern(value)

    def _relax_edges(self, op: Operation, node: Node) -> None:
        if isinstance(op, TupleGetOp) and self._is_packed(op.tuple):
            node.pattern = PatternKind.OPAQUE
        for value in values_used(op):
            self._edge(value, node, node.pattern)

    def _is_packed(self, value: SSAValue) -> bool:
        """Whether `value` is an argument after those that the function counts as inputs."""
        function = self.block.parent_op()
        count = None if function is None else function.attributes.get(NUM_INPUT)
        number = getattr(getattr(count, "value", None), "data", None)
        if not isinstance(value, BlockArgument) or value.block is not self.block:
            return False
        return isinstance(number, int) and value.index >= number

    def _return(self, terminator: Operation) -> None:
        """The results of the block: a single value is extern, several are an extern tuple."""
        values = values_used(terminator)
        if len(values) < 2:
            for value in values:
                self._make_extern(value)
            return
        node = self.graph.add_node(
            PatternKind.TUPLE, role=Role.TUPLE, label=short_name(terminator), is_extern=True
        )
        self._fields(values, node)
        node.argument_count = self._arguments(values)


def _parent_in(value: SSAValue, block: Block) -> bool:
    """Whether `value` is made in a region of an op of `block`."""
    around = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around is not None


def _has_trait(op: Operation, trait: type[ConstantLike | IsTerminator]) -> bool:
    return op.has_trait(trait, value_if_unregistered=False)


def _role(op: Operation, is_constant: bool) -> Role:
    if is_constant:
        return Role.CONSTANT
    if isinstance(op, TupleOp):
        return Role.TUPLE
    return Role.GET if isinstance(op, TupleGetOp) else Role.CALL


def _has_only_tensors(value: SSAValue) -> bool:
    type_ = value.type
    return isinstance(type_, TupleType) and all(isinstance(t, TensorType) for t in type_.types.data)


def _relay_edge(op: Operation, value: SSAValue, kind: PatternKind) -> PatternKind:
    """The kind of a use: for a broadcast op, an operand of its result's shape is elementwise."""
    if kind is PatternKind.BROADCAST and len(op.results) == 1:
        types = (value.type, op.results[0].type)
        if all(isinstance(t, TensorType) for t in types):
            if shape_of(value) == shape_of(op.results[0]):
                return PatternKind.ELEMWISE
    return kind


def _additional(value: SSAValue, *, strides: bool) -> int:
    """Arguments besides the data: one per dynamic dim, and all strides if there is one."""
    if not isinstance(value.type, TensorType):
        return 0
    shape = shape_of(value)
    dynamic = sum(dim == DYNAMIC for dim in shape)
    return dynamic + (len(shape) if strides and dynamic else 0)
