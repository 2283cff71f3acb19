"""The reduction of StableHLO, and the terminator of regions.

    %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1]
         : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>

`applies OP` is short for a region that applies this op to its two arguments. Source: the StableHLO
specification.
"""

from __future__ import annotations

from typing import Self

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    SameVariadicOperandSize,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.stablehlo.elementwise import StableElementwiseOp
from snippets_mlir.dialects.stablehlo.movement import DIMS
from snippets_mlir.dialects.stablehlo.products import parse_list, parse_types


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a region; its operands are the region's results."""

    name = "stablehlo.return"
    results_ = var_operand_def(Attribute)
    traits = traits_def(IsTerminator())
    assembly_format = "($results_^ `:` type($results_))? attr-dict"


def combiner_of(block: Block) -> Operation | None:
    """The one op of two arguments that a region is, in their order; else None."""
    first, last = block.first_op, block.last_op
    if not isinstance(first, StableElementwiseOp) or first.next_op is not last:
        return None
    plain = tuple(first.operands) == tuple(block.args) and len(block.args) == 2
    returned = last is not None and tuple(last.operands) == tuple(first.results)
    return first if plain and returned and not first.attributes else None


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combines the elements of the inputs along some dims by its region, from initial values."""

    name = "stablehlo.reduce"
    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    dimensions = prop_def(DIMS)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())
    irdl_options = (SameVariadicOperandSize(),)

    @property
    def axes(self) -> tuple[int, ...]:
        """The reduced dims."""
        return tuple(self.dimensions.get_values())

    @property
    def combiner(self) -> Operation | None:
        """The one op of two arguments that the region is, in their order; else None."""
        return combiner_of(self.body.block)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse both forms of the module docstring."""
        place = parser.pos
        inputs: list[UnresolvedOperand] = []
        inits: list[UnresolvedOperand] = []

        def pair() -> None:
            with parser.in_parens():
                inputs.append(parser.parse_unresolved_operand())
                parser.parse_keyword("init")
                parser.parse_punctuation(":")
                inits.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.NONE, pair)
        combiner = None
        if parser.parse_optional_keyword("applies"):
            combiner = cls._combiner(parser)
        for word in ("across", "dimensions"):
            parser.parse_keyword(word)
        parser.parse_punctuation("=")
        dims = parse_list(parser, parser.parse_integer)
        attributes = parser.parse_optional_attr_dict()
        operands, results = parse_types(parser, [*inputs, *inits], place)
        body = cls._applied(combiner, operands[0]) if combiner else cls._body(parser)
        return cls.create(
            operands=operands,
            result_types=results,
            properties={"dimensions": DenseArrayBase.from_list(i64, dims)},
            attributes=attributes,
            regions=[body],
        )

    @staticmethod
    def _combiner(parser: Parser) -> type[StableElementwiseOp]:
        """Parse the name of an elementwise op of two operands."""
        place = parser.pos
        name = parser.parse_identifier()
        found = parser.ctx.get_optional_op(name)
        if found is None or not issubclass(found, StableElementwiseOp) or found.ARITY != 2:
            parser.raise_error(f"expected an elementwise op of two operands, found {name}", place)
        return found

    @staticmethod
    def _applied(combiner: type[StableElementwiseOp], operand: SSAValue) -> Region:
        """The region of one op on elements of `operand`."""
        scalar = tensor_type(tensor_of(operand).element_type, ())
        block = Block(arg_types=[scalar, scalar])
        op = combiner.create(operands=block.args, result_types=[scalar])
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
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
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
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)
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


OPS = [ReduceOp, ReturnOp]
