"""Ops of StableHLO with regions: reductions, control flow, sorts, scatters, and their terminator.

    %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1]
         : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.while(%i = %c) : tensor<i32> cond {
      ...
      stablehlo.return %p : tensor<i1>
    } do {
      ...
      stablehlo.return %n : tensor<i32>
    }

`applies OP` is short for a region of this op on its two arguments. The other ops are written in
the generic form. Source: the StableHLO specification.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import (
    BoolAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.stablehlo.attributes import ScatterAttr
from snippets_mlir.dialects.stablehlo.elementwise import StableElementwiseOp
from snippets_mlir.dialects.stablehlo.products import parse_list

_DIMS = DenseArrayBase.constr(i64)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a region and says its results."""

    name = "stablehlo.return"
    results_ = var_operand_def(Attribute)
    traits = traits_def(IsTerminator())
    assembly_format = "($results_^ `:` type($results_))? attr-dict"


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combines the elements of the inputs along some dims by its region, from initial values."""

    name = "stablehlo.reduce"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(_DIMS)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (SameVariadicOperandSize(),)

    @property
    def axes(self) -> tuple[int, ...]:
        """The dims along which is reduced."""
        return tuple(self.dimensions.get_values())

    @property
    def combiner(self) -> Operation | None:
        """The one op of two arguments that the region is, in their order; else None."""
        block = self.body.block
        first = block.first_op
        if not isinstance(first, StableElementwiseOp) or first.next_op is not block.last_op:
            return None
        last = block.last_op
        plain = tuple(first.operands) == tuple(block.args) and len(block.args) == 2
        returned = last is not None and tuple(last.operands) == tuple(first.results)
        return first if plain and returned and not first.attributes else None

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse both forms of the module docstring."""
        place = parser.pos
        inputs: list[Parser.UnresolvedOperand] = []
        inits: list[Parser.UnresolvedOperand] = []

        def pair() -> None:
            with parser.in_parens():
                inputs.append(parser.parse_unresolved_operand())
                parser.parse_keyword("init")
                parser.parse_punctuation(":")
                inits.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.NONE, pair)
        applied = None
        if parser.parse_optional_keyword("applies"):
            applied = parser.parse_identifier()
        for word in ("across", "dimensions"):
            parser.parse_keyword(word)
        parser.parse_punctuation("=")
        dims = parse_list(parser, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_type()
        if not isinstance(types, FunctionType):
            parser.raise_error("expected a function type", place)
        operands = parser.resolve_operands([*inputs, *inits], types.inputs.data, place)
        body = cls._applied(parser, applied, operands) if applied else cls._body(parser)
        return cls.create(
            operands=operands,
            result_types=types.outputs.data,
            properties={"dimensions": DenseArrayBase.from_list(i64, dims)},
            attributes=attributes,
            regions=[body],
        )

    @staticmethod
    def _applied(parser: Parser, name: str, operands: Sequence[SSAValue]) -> Region:
        """The region of the one op `name`."""
        found = parser.ctx.get_optional_op(name)
        if found is None or not issubclass(found, StableElementwiseOp) or found.ARITY != 2:
            parser.raise_error(f"expected an elementwise op of two operands, found {name}")
        scalar = tensor_type(tensor_of(operands[0]).element_type, ())
        block = Block(arg_types=[scalar, scalar])
        op = found.create(operands=block.args, result_types=[scalar])
        block.add_ops([op, ReturnOp.create(operands=op.results)])
        return Region(block)

    @staticmethod
    def _body(parser: Parser) -> Region:
        """Parse `reducer(%a: t, %b: t) (%c: u, %d: u) {...}`; the block's arguments are acbd."""
        parser.parse_keyword("reducer")
        pairs: list[list[Parser.Argument]] = []
        while True:
            pair = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_argument
            )
            if pair is None:
                break
            if len(pair) != 2:
                parser.raise_error("expected two arguments for each input")
            pairs.append(pair)
        return parser.parse_region([p[0] for p in pairs] + [p[1] for p in pairs])

    @override
    def print(self, printer: Printer) -> None:
        for i, (x, c) in enumerate(zip(self.inputs, self.init_values, strict=True)):
            printer.print_string(", (" if i else "(")
            printer.print_operand(x)
            printer.print_string(" init: ")
            printer.print_operand(c)
            printer.print_string(")")
        if (combiner := self.combiner) is not None:
            printer.print_string(f" applies {combiner.name}")
        printer.print_string(f" across dimensions = {list(self.axes)}")
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" : ")
        ins, outs = [v.type for v in self.operands], [v.type for v in self.results]
        printer.print_attribute(FunctionType.from_lists(ins, outs))
        if combiner is not None:
            return
        printer.print_string(" reducer")
        args = self.body.block.args
        count = len(args) // 2
        printer.enter_scope()
        for a, b in zip(args[:count], args[count:], strict=True):
            printer.print_string("(")
            printer.print_block_argument(a)
            printer.print_string(", ")
            printer.print_block_argument(b)
            printer.print_string(") ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.exit_scope()

    @override
    def verify_(self) -> None:
        count = len(self.results)
        if len(self.operands) != 2 * count or len(self.body.block.args) != 2 * count:
            raise VerifyException(
                f"{self.name} expects an input, an initial value, a result and two arguments of "
                f"the region each, found {len(self.operands)} operands, {count} results, "
                f"{len(self.body.block.args)} arguments"
            )


@irdl_op_definition
class WhileOp(IRDLOperation):
    """Runs its second region on the values while the first one gives true."""

    name = "stablehlo.while"
    inputs = var_operand_def(Attribute)
    outputs = var_result_def(Attribute)
    cond = region_def("single_block")
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the text of the module docstring."""
        place = parser.pos
        names: list[Parser.UnresolvedArgument] = []
        inputs: list[Parser.UnresolvedOperand] = []

        def pair() -> None:
            names.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            inputs.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
        types: list[Attribute] = []
        if parser.parse_optional_punctuation(":"):
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        operands = parser.resolve_operands(inputs, types, place)
        arguments = [n.resolve(t) for n, t in zip(names, types, strict=True)]
        parser.parse_keyword("cond")
        cond = parser.parse_region(arguments)
        parser.parse_keyword("do")
        return cls.create(
            operands=operands,
            result_types=types,
            attributes=attributes.data if attributes else {},
            regions=[cond, parser.parse_region(arguments)],
        )


@irdl_op_definition
class CaseOp(IRDLOperation):
    """Runs the region that the index chooses; the last one for an index that is none."""

    name = "stablehlo.case"
    index = operand_def(TensorType)
    outputs = var_result_def(Attribute)
    branches = var_region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class IfOp(IRDLOperation):
    """Runs the first region for true, else the second."""

    name = "stablehlo.if"
    pred = operand_def(TensorType)
    outputs = var_result_def(Attribute)
    on_true = region_def("single_block")
    on_false = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())


class _RegionOp(IRDLOperation, ABC):
    """An op that is only parsed and printed."""

    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())


@irdl_op_definition
class ReduceWindowOp(_RegionOp):
    """Combines the elements of windows by its region."""

    name = "stablehlo.reduce_window"
    window_dimensions = prop_def(_DIMS)
    window_strides = opt_prop_def(_DIMS)
    base_dilations = opt_prop_def(_DIMS)
    window_dilations = opt_prop_def(_DIMS)
    padding = opt_prop_def(DenseIntElementsAttr)


@irdl_op_definition
class SortOp(_RegionOp):
    """Sorts the inputs together along a dim by the comparison of its region."""

    name = "stablehlo.sort"
    dimension = opt_prop_def(IntegerAttr.constr(i64))
    is_stable = opt_prop_def(BoolAttr)


@irdl_op_definition
class ScatterOp(_RegionOp):
    """Combines updates into slices of the inputs, each at a place of the indices."""

    name = "stablehlo.scatter"
    scatter_dimension_numbers = prop_def(ScatterAttr)
    indices_are_sorted = opt_prop_def(BoolAttr)
    unique_indices = opt_prop_def(BoolAttr)


@irdl_op_definition
class CustomCallOp(IRDLOperation):
    """A call of something outside of StableHLO."""

    name = "stablehlo.custom_call"
    inputs = var_operand_def(Attribute)
    call_target_name = prop_def(StringAttr)
    outputs = var_result_def(Attribute)
    traits = traits_def()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `@target(%a, %b) {attributes} : function-type`."""
        place = parser.pos
        target = parser.parse_symbol_name()
        unresolved = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_type()
        if not isinstance(types, FunctionType):
            parser.raise_error("expected a function type", place)
        return cls.create(
            operands=parser.resolve_operands(unresolved, types.inputs.data, place),
            result_types=types.outputs.data,
            properties={"call_target_name": target},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(SymbolRefAttr(self.call_target_name))
        printer.print_string("(")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(")")
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)
        printer.print_string(" : ")
        ins, outs = [v.type for v in self.operands], [v.type for v in self.results]
        printer.print_attribute(FunctionType.from_lists(ins, outs))


OPS = [
    CaseOp,
    CustomCallOp,
    IfOp,
    ReduceOp,
    ReduceWindowOp,
    ReturnOp,
    ScatterOp,
    SortOp,
    WhileOp,
]
