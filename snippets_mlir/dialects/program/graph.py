"""`program.graph`: a whole model, and its outputs.

    program.graph @main "fused" (%x "x": tensor<4xf32>) attributes {queue = "in-order"} {
      %0 = program.node "relu" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {...}
      program.output %0 as "y" : tensor<4xf32>
    }

The order of the ops is the order in which the nodes run (the processing order). Operands are
dependencies, uses are users. Inputs, constants, nodes and views have ids: the model's names, unique
in the graph and kept by all passes. The first result of a node has the node's id as its name,
further results `id:1`, `id:2`. The stages follow; each also has the laws of all earlier stages
(`laws.py`):

* `topology`: the computation, one op in each node;
* `fused`: a node may hold several ops;
* `selected`: every node says which implementation runs it;
* `planned`: every result of a node has memory;
* `scheduled`: a `program.schedule` says which queue runs each node, and which queue waits for
  which.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import (
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator, Pure, SymbolOpInterface

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.program.ids import op_id
from snippets_mlir.dialects.program.names import Names, names_attr
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import ScheduleOp

STAGES = ("topology", "fused", "selected", "planned", "scheduled")


@irdl_op_definition
class GraphOp(Op):
    """A whole model; see the module docstring."""

    name = "program.graph"
    sym_name = prop_def(SymbolNameConstraint())
    stage = prop_def(StringAttr)
    inputs = prop_def(Names)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface())

    def __init__(self, name: str, stage: str, inputs: Sequence[str], body: Region) -> None:
        super().__init__(
            regions=[body],
            properties={
                "sym_name": StringAttr(name),
                "stage": StringAttr(stage),
                "inputs": names_attr(inputs),
            },
        )

    @property
    def block(self) -> Block:
        """The one block of the body."""
        return self.body.block

    @property
    def input_names(self) -> tuple[str, ...]:
        """The ids of the inputs, one for each argument of the block."""
        return tuple(name.data for name in self.inputs)

    @property
    def function_type(self) -> FunctionType:
        """The types of the inputs and outputs."""
        outputs = [v.type for v in self.output.values]
        return FunctionType.from_lists(list(self.block.arg_types), outputs)

    @property
    def nodes(self) -> list[NodeOp]:
        """The nodes in processing order."""
        return [op for op in self.block.ops if isinstance(op, NodeOp)]

    @property
    def output(self) -> OutputOp:
        """The op that ends the graph, with its results."""
        terminator = self.block.last_op
        assert isinstance(terminator, OutputOp)
        return terminator

    @property
    def schedule(self) -> ScheduleOp | None:
        """The schedule, if it is decided."""
        return next((op for op in self.block.ops if isinstance(op, ScheduleOp)), None)

    @property
    def queue(self) -> str:
        """`in-order`, or `out-of-order`."""
        attribute = self.attributes.get("queue")
        return attribute.data if isinstance(attribute, StringAttr) else "in-order"

    def number(self, name: str) -> int | None:
        """A numeric attribute of the graph: `arena` (bytes), `queues`."""
        attribute = self.attributes.get(name)
        return attribute.value.data if isinstance(attribute, IntegerAttr) else None

    def set_stage(self, stage: str) -> None:
        """Set the stage, whose laws the verifier checks from now on."""
        self.properties["stage"] = StringAttr(stage)

    def reached(self, stage: str) -> bool:
        """Whether the graph is at `stage` or later."""
        return STAGES.index(self.stage.data) >= STAGES.index(stage)

    def id_of(self, value: SSAValue) -> str:
        """The name of a value of the graph, unique in it."""
        if isinstance(value, BlockArgument):
            return self.input_names[value.index]
        assert isinstance(value, OpResult)
        id_ = op_id(value.op)
        assert id_ is not None, "a value of an op without an id"
        return f"{id_}:{value.index}" if value.index else id_

    @classmethod
    def parse(cls, parser: Parser) -> GraphOp:
        """Parse the syntax of the module docstring; an input without a name has its value's."""

        def argument() -> tuple[Parser.Argument, str]:
            unresolved = parser.parse_argument(expect_type=False)
            name = parser.parse_optional_str_literal()
            parser.parse_punctuation(":")
            written = unresolved.name.text[1:]
            return unresolved.resolve(parser.parse_type()), name if name is not None else written

        name = parser.parse_symbol_name()
        stage = parser.parse_str_literal()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region([a for a, _ in arguments])
        graph = cls(name.data, stage, [n for _, n in arguments], body)
        graph.attributes.update(attributes.data if attributes else {})
        return graph

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f' "{self.stage.data}" (')
        for i, (argument, name) in enumerate(zip(self.block.args, self.input_names, strict=True)):
            printer.print_string(", " if i else "")
            printer.print_ssa_value(argument)
            printer.print_string(" ")
            printer.print_string_literal(name)
            printer.print_string(": ")
            printer.print_attribute(argument.type)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        """Check the laws of the graph's stage."""
        from snippets_mlir.dialects.program.laws import verify_graph

        verify_graph(self)


@irdl_op_definition
class OutputOp(Op):
    """The outputs of a graph, in order, each with its name; it ends the graph."""

    name = "program.output"
    values = var_operand_def()
    names = prop_def(Names)
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(GraphOp), Pure()))

    def __init__(self, values: Sequence[SSAValue], names: Sequence[str]) -> None:
        super().__init__(operands=[values], properties={"names": names_attr(names)})

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names under which a caller sees the results, one for each of `values`."""
        return tuple(name.data for name in self.names)

    @classmethod
    def parse(cls, parser: Parser) -> OutputOp:
        """Parse `%a as "a", %b as "b" : type, type`."""

        def named() -> tuple[UnresolvedOperand, str] | None:
            if (operand := parser.parse_optional_unresolved_operand()) is None:
                return None
            parser.parse_keyword("as")
            return operand, parser.parse_str_literal()

        pos = parser.pos
        pairs: list[tuple[UnresolvedOperand, str]] = []
        types: list[Attribute] = []
        while (pair := named()) is not None:
            pairs.append(pair)
            if parser.parse_optional_punctuation(",") is None:
                break
        if pairs:
            parser.parse_punctuation(":")
            types.extend(
                parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            )
        values = parser.resolve_operands([p[0] for p in pairs], types, pos)
        return cls(values, [p[1] for p in pairs])

    @override
    def print(self, printer: Printer) -> None:
        for i, (value, name) in enumerate(zip(self.values, self.output_names, strict=True)):
            printer.print_string(", " if i else " ")
            printer.print_operand(value)
            printer.print_string(" as ")
            printer.print_string_literal(name)
        if self.values:
            printer.print_string(" : ")
            printer.print_list([v.type for v in self.values], printer.print_attribute)


def graphs_of(module: ModuleOp) -> list[GraphOp]:
    """The graphs at the top level of a module, in the order of the text."""
    return [op for op in module.ops if isinstance(op, GraphOp)]


def find_graph(module: ModuleOp, entry: str | None = None) -> GraphOp | None:
    """The graph called `entry`, else `main`, else the only one; None if there is none."""
    graphs = {graph.sym_name.data: graph for graph in graphs_of(module)}
    if entry is not None or len(graphs) != 1:
        return graphs.get("main" if entry is None else entry)
    return next(iter(graphs.values()))
