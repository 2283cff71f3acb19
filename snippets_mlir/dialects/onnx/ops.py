"""`onnx.node`: a node of an ONNX graph that no kernel computes.

    %y = onnx.node "Conv"(%x, %w) {domain = "", version = 11 : i64, node_name = "conv1",
           attributes = {strides = array<i64: 2, 2>}} : (tensor<1x3x8x8xf32>, ...) -> tensor<...>
    %z = onnx.node "Clip"(%x, none, %max) {domain = "", version = 13 : i64} : (...) -> ...
    %r = onnx.node "If"(%c) captures("t" = %t) {..., attributes = {then_branch = #onnx.proto<...>}}

`none` is an omitted optional input; a result of type `none` is an optional output. Values of the
outer graph that a graph attribute reads by name are also operands, after the inputs: `captures`
binds the name to the value, and `opsets = {"ai.onnx.ml" = 3 : i64}` are the versions of the domains
that the graph uses besides the node's own. The op is pure, so that unused nodes disappear, but two
nodes that draw random numbers are never merged.

Constraints, named in the verifier's messages:

* O1: `op_type` is not empty.
* O2: `version`, the opset version of the domain, is at least 1.
* O3: `absent` lists positions among the inputs, in ascending order.
* O4: there are at least as many operands as `captures`.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from typing_extensions import override
from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.onnx.random_operators import RANDOM_OPERATORS


def _versions(opsets: dict[str, int]) -> DictionaryAttr:
    return DictionaryAttr({domain: IntegerAttr(v, i64) for domain, v in opsets.items()})


class NodeEffects(MemoryEffect):
    """None; a random node allocates its value, so that it may be removed but not merged."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        """The effects of `op`, an `onnx.node`."""
        if isinstance(op, NodeOp) and op.is_random:
            return frozenset(EffectInstance(MemoryEffectKind.ALLOC, r) for r in op.results)
        return frozenset()


@irdl_op_definition
class NodeOp(Op):
    """One ONNX node; see the module docstring."""

    name = "onnx.node"
    arguments = var_operand_def()
    outputs = var_result_def()
    op_type = prop_def(StringAttr)
    domain = prop_def(StringAttr)
    version = prop_def(IntegerAttr[I64])
    node_name = opt_prop_def(StringAttr)
    node_attributes = opt_prop_def(DictionaryAttr, prop_name="attributes")
    absent = opt_prop_def(DenseArrayBase[I64])
    captures = opt_prop_def(ArrayAttr[StringAttr])
    opsets = opt_prop_def(DictionaryAttr)
    random = opt_prop_def(UnitAttr)
    traits = traits_def(NodeEffects())

    def __init__(
        self,
        op_type: str,
        inputs: Sequence[SSAValue | None],
        result_types: Sequence[Attribute],
        *,
        version: int,
        domain: str = "",
        node_name: str = "",
        attributes: dict[str, Attribute] | None = None,
        captures: dict[str, SSAValue] | None = None,
        opsets: dict[str, int] | None = None,
        random: bool = False,
    ) -> None:
        """`None` among `inputs` is an omitted optional input."""
        captures = captures or {}
        absent = [i for i, v in enumerate(inputs) if v is None]
        properties: dict[str, Attribute | None] = {
            "op_type": StringAttr(op_type),
            "domain": StringAttr(domain),
            "version": IntegerAttr(version, i64),
            "node_name": StringAttr(node_name) if node_name else None,
            "attributes": DictionaryAttr(attributes) if attributes else None,
            "absent": DenseArrayBase.from_list(i64, absent) if absent else None,
            "captures": ArrayAttr(StringAttr(n) for n in captures) if captures else None,
            "opsets": _versions(opsets) if opsets else None,
            "random": UnitAttr() if random else None,
        }
        present = [v for v in inputs if v is not None]
        super().__init__(
            operands=[[*present, *captures.values()]],
            result_types=[result_types],
            properties=properties,
        )

    @property
    def is_random(self) -> bool:
        """Whether the node, or a node of a graph that it holds, draws random numbers."""
        return self.random is not None or (
            self.op_type.data in RANDOM_OPERATORS and not self.domain.data
        )

    @property
    def versions(self) -> dict[str, int]:
        """Domain -> opset version of the node and the graphs that it holds."""
        inside = self.opsets.data.items() if self.opsets else ()
        found = {d: v.value.data for d, v in inside if isinstance(v, IntegerAttr)}
        return {**found, self.domain.data: self.version.value.data}

    @property
    def captured(self) -> dict[str, SSAValue]:
        """Name -> value that the graph attributes read from the outer graph."""
        names = [n.data for n in self.captures] if self.captures else []
        values = self.operands[len(self.operands) - len(names) :]
        return dict(zip(names, values, strict=True))

    @property
    def inputs(self) -> list[SSAValue | None]:
        """The ONNX node's inputs; None for an omitted optional input."""
        present = list(self.operands[: len(self.operands) - len(self.captured)])
        result: list[SSAValue | None] = [*present]
        for index in self.absent_positions():
            result.insert(index, None)
        return result

    def absent_positions(self) -> tuple[int, ...]:
        """Positions of the omitted optional inputs."""
        return self.absent.get_values() if self.absent else ()

    @classmethod
    def parse(cls, parser: Parser) -> NodeOp:
        """Parse the syntax of the module docstring."""

        def operand() -> UnresolvedOperand | None:
            return (
                None if parser.parse_optional_keyword("none") else parser.parse_unresolved_operand()
            )

        def capture() -> tuple[str, UnresolvedOperand]:
            name = parser.parse_str_literal()
            parser.parse_punctuation("=")
            return name, parser.parse_unresolved_operand()

        pos = parser.pos
        op_type = parser.parse_str_literal()
        written = parser.parse_comma_separated_list(parser.Delimiter.PAREN, operand)
        captures: list[tuple[str, UnresolvedOperand]] = []
        if parser.parse_optional_keyword("captures"):
            captures = parser.parse_comma_separated_list(parser.Delimiter.PAREN, capture)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_function_type()
        unresolved = [o for o in written if o is not None] + [c[1] for c in captures]
        operands = parser.resolve_operands(unresolved, type_.inputs.data, pos)
        names = cls.get_irdl_definition().properties
        properties = {k: attributes.pop(k) for k in list(attributes) if k in names}
        properties["op_type"] = StringAttr(op_type)
        if absent := [i for i, o in enumerate(written) if o is None]:
            properties["absent"] = DenseArrayBase.from_list(i64, absent)
        if captures:
            properties["captures"] = ArrayAttr(StringAttr(c[0]) for c in captures)
        return cls.create(
            operands=operands,
            result_types=list(type_.outputs.data),
            properties=properties,
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        def operand(value: SSAValue | None) -> None:
            if value is None:
                printer.print_string("none")
            else:
                printer.print_operand(value)

        def capture(item: tuple[str, SSAValue]) -> None:
            printer.print_string_literal(item[0])
            printer.print_string(" = ")
            printer.print_operand(item[1])

        printer.print_string(" ")
        printer.print_string_literal(self.op_type.data)
        with printer.in_parens():
            printer.print_list(self.inputs, operand)
        if self.captures:
            printer.print_string(" captures")
            with printer.in_parens():
                printer.print_list(self.captured.items(), capture)
        shown = {
            k: v for k, v in self.properties.items() if k not in ("op_type", "absent", "captures")
        }
        printer.print_string(" ")
        printer.print_attr_dict({**shown, **self.attributes})
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    @override
    def verify_(self) -> None:
        if not self.op_type.data:
            raise VerifyException("O1: onnx.node expects an operator's name, found an empty string")
        if self.version.value.data < 1:
            raise VerifyException(
                f"O2: onnx.node expects an opset version of 1 or more, "
                f"found {self.version.value.data}"
            )
        captures = len(self.captures) if self.captures else 0
        if captures > len(self.operands):
            raise VerifyException(
                f"O4: onnx.node expects an operand for each of its {captures} captures, "
                f"found {len(self.operands)} operands"
            )
        absent = self.absent_positions()
        count = len(self.operands) - captures + len(absent)
        if list(absent) != sorted(set(absent)) or any(not 0 <= i < count for i in absent):
            raise VerifyException(
                f"O3: onnx.node expects ascending positions below {count} in absent, "
                f"found {list(absent)}"
            )
