"""`program.node`: the computation (the body) and, once selected, its implementation (`impl`).

    %c = program.node "c0" (%a = %x, %b = %w) impl<"snippets", @c0, cost = 5200>
         mem<arena, 0, 802816> conflicts ["in0", "r1"] origin ["Conv_0", "Relu_1"]
         : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.add %a, %b : tensor<4xf32>
      %1 = snippets.relu %0 : tensor<4xf32>
      program.yield %1 : tensor<4xf32>
    }

A node with several results has a `mem` and `conflicts` for each, in order. A node is not `Pure`: a
schedule and conflicts may name it, so only passes of the dialect erase or merge nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    lazy_traits_def,
    opt_prop_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    IsTerminator,
    Pure,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.program.attributes import Impl, ImplAttr, Mem, MemAttr, in_graph
from snippets_mlir.dialects.program.names import Names, names_attr, parse_names, print_names
from snippets_mlir.dialects.snippets.subgraph import parse_bindings, print_bindings


@irdl_op_definition
class NodeOp(Op):
    """One step of a program; see the module docstring."""

    name = "program.node"
    id = prop_def(StringAttr)
    inputs = var_operand_def()
    outputs = var_result_def()
    impl = opt_prop_def(ImplAttr)
    mem = opt_prop_def(ArrayAttr[MemAttr])
    conflicts = opt_prop_def(ArrayAttr[Names])
    origin = opt_prop_def(Names)
    body = region_def("single_block")
    traits = lazy_traits_def(
        lambda: (
            IsolatedFromAbove(),
            SingleBlockImplicitTerminator(YieldOp),
            in_graph(),
        )
    )

    def __init__(
        self,
        id: str,
        inputs: Sequence[SSAValue],
        output_types: Sequence[Attribute],
        body: Region,
        impl: Impl | None = None,
        origin: Sequence[str] = (),
    ) -> None:
        super().__init__(
            operands=[inputs],
            result_types=[output_types],
            regions=[body],
            properties={
                "id": StringAttr(id),
                "impl": None if impl is None else ImplAttr(impl),
                "origin": names_attr(origin) if origin else None,
            },
        )

    @property
    def block(self) -> Block:
        """The one block of the body."""
        return self.body.block

    @property
    def results_inside(self) -> Sequence[SSAValue]:
        """The values of the body that are the results."""
        terminator = self.block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.values

    @property
    def how(self) -> Impl | None:
        """The implementation, if it is decided."""
        return None if self.impl is None else self.impl.data

    @property
    def kind(self) -> str | None:
        """The kind of its implementation, if it is decided."""
        return None if self.impl is None else self.impl.data.kind

    def set_impl(self, impl: Impl | None) -> None:
        """Set the implementation of the node; None removes it."""
        if impl is None:
            self.properties.pop("impl", None)
        else:
            self.properties["impl"] = ImplAttr(impl)

    @property
    def slots(self) -> tuple[Mem, ...]:
        """The memory of each result; empty before memory is planned."""
        return () if self.mem is None else tuple(m.data for m in self.mem)

    def set_slots(self, slots: Sequence[Mem]) -> None:
        """Set the memory of each result, one slot per result."""
        self.properties["mem"] = ArrayAttr(map(MemAttr, slots))

    @property
    def conflict_ids(self) -> tuple[tuple[str, ...], ...]:
        """For each result, the values that may not share its memory; empty if not known."""
        if self.conflicts is None:
            return ()
        return tuple(tuple(name.data for name in names) for names in self.conflicts)

    @property
    def origin_names(self) -> tuple[str, ...]:
        """The names of the model's nodes that this one computes."""
        return () if self.origin is None else tuple(name.data for name in self.origin)

    @classmethod
    def parse(cls, parser: Parser) -> NodeOp:
        """Parse the syntax of the module docstring."""
        properties: dict[str, Attribute] = {"id": StringAttr(parser.parse_str_literal())}
        pos = parser.pos
        pairs = parse_bindings(parser)
        if parser.parse_optional_keyword("impl"):
            properties["impl"] = ImplAttr(ImplAttr.parse_parameter(parser))
        mem: list[MemAttr] = []
        while parser.parse_optional_keyword("mem"):
            mem.append(MemAttr(MemAttr.parse_parameter(parser)))
        conflicts: list[Names] = []
        while parser.parse_optional_keyword("conflicts"):
            conflicts.append(parse_names(parser))
        if mem:
            properties["mem"] = ArrayAttr(mem)
        if conflicts:
            properties["conflicts"] = ArrayAttr(conflicts)
        if parser.parse_optional_keyword("origin"):
            properties["origin"] = parse_names(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        type_ = parser.parse_function_type()
        inputs = list(type_.inputs.data)
        operands = parser.resolve_operands([p[1] for p in pairs], inputs, pos)
        arguments = [p[0].resolve(t) for p, t in zip(pairs, inputs, strict=True)]
        body = parser.parse_region(arguments)
        return cls.create(
            operands=operands,
            result_types=list(type_.outputs.data),
            properties=properties,
            attributes=attributes.data if attributes else {},
            regions=[body],
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.id.data)
        print_bindings(printer, self.block.args, self.inputs)
        if self.impl is not None:
            printer.print_string(" impl")
            self.impl.print_parameter(printer)
        for mem in self.mem or ():
            printer.print_string(" mem")
            mem.print_parameter(printer)
        for ids in self.conflict_ids:
            printer.print_string(" conflicts ")
            print_names(printer, ids)
        if self.origin is not None:
            printer.print_string(" origin ")
            print_names(printer, self.origin_names)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        """Check that the body's arguments are the inputs and its yielded values the results."""
        where = f'program.node "{self.id.data}"'
        if list(self.block.arg_types) != [v.type for v in self.inputs]:
            raise VerifyException(
                f"{where}: expected the body to take {_types(self.inputs)}, "
                f"found {_types(self.block.args)}"
            )
        if [v.type for v in self.results_inside] != [v.type for v in self.outputs]:
            raise VerifyException(
                f"{where}: expected the body to yield {_types(self.outputs)}, "
                f"found {_types(self.results_inside)}"
            )
        for what, found in (("mem", self.mem), ("conflicts", self.conflicts)):
            if found is not None and len(found) != len(self.outputs):
                raise VerifyException(
                    f"{where}: expected one {what} for each of {len(self.outputs)} results, "
                    f"found {len(found)}"
                )


@irdl_op_definition
class YieldOp(Op):
    """The end of a node's body; its operands are the node's results."""

    name = "program.yield"
    values = var_operand_def()
    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(NodeOp), Pure()))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[values])


def _types(values: Sequence[SSAValue]) -> str:
    return "(" + ", ".join(str(v.type) for v in values) + ")"
