"""Ops of the `lir` dialect: kernels, memory access and loop markers.

    lir.kernel @mul "looped" (%x: tensor<64xf32>) -> tensor<64xf32>
        loops [#lir.loop<0, work 64, inc 8, dim 0, parallel>] {
      lir.loop_begin 0
      %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [...]}
          : tensor<64xf32>
      %1 = snippets.multiply %0, %0 {lir.loops = array<i64: 0>, lir.ports = [...]} : tensor<64xf32>
      %2 = lir.store %1 {count = 8 : i64, ...} : tensor<64xf32>
      lir.loop_end 0
      lir.result %2 {index = 0 : i64} : tensor<64xf32>
    }

The order of a kernel's ops is the order of execution. Computing ops are those of the `snippets`
dialect; each op carries one `#lir.port` per operand and result and the ids of the loops around it.
The stages:

* `linear`: no loops yet;
* `marked`: every computing op names its loops, and the kernel's table describes them;
* `accessed`: memory is touched by `lir.load`, `lir.broadcast_load` and `lir.store` only;
* `looped`: `lir.loop_begin` and `lir.loop_end` stand around each loop;
* `expanded`: no loop has a tail: tails are loops of their own;
* `assigned`: ports name physical registers.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsolatedFromAbove,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.lir.attributes import LoopAttr, LoopInfo
from snippets_mlir.dialects.snippets.base import parse_typed_operands, print_typed_operands

STAGES = ("linear", "marked", "accessed", "looped", "expanded", "assigned")


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One subgraph as a list of ops in order of execution (the guide's LinearIR)."""

    name = "lir.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    stage = prop_def(StringAttr)
    loops = prop_def(ArrayAttr[LoopAttr])
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def __init__(
        self,
        name: str,
        function_type: FunctionType,
        stage: str,
        body: Region,
        loops: Sequence[LoopInfo] = (),
    ) -> None:
        super().__init__(
            regions=[body],
            properties={
                "sym_name": StringAttr(name),
                "function_type": function_type,
                "stage": StringAttr(stage),
                "loops": ArrayAttr([LoopAttr(loop) for loop in loops]),
            },
        )

    @property
    def block(self) -> Block:
        """The one block of the body."""
        return self.body.block

    @property
    def loop_table(self) -> dict[int, LoopInfo]:
        """The loops by id, in table order."""
        return {attr.data.id: attr.data for attr in self.loops}

    def set_loops(self, loops: Sequence[LoopInfo]) -> None:
        """Replace the loop table."""
        self.properties["loops"] = ArrayAttr([LoopAttr(loop) for loop in loops])

    def set_stage(self, stage: str) -> None:
        """Move the kernel to `stage`."""
        self.properties["stage"] = StringAttr(stage)

    def reached(self, stage: str) -> bool:
        """Whether the kernel is at `stage` or later."""
        return STAGES.index(self.stage.data) >= STAGES.index(stage)

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        """Parse the syntax of the module docstring."""
        name = parser.parse_symbol_name()
        stage = parser.parse_str_literal()
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument()
        )
        parser.parse_punctuation("->")
        outputs = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        if outputs is None:
            outputs = [parser.parse_type()]
        loops: list[Attribute] = []
        if parser.parse_optional_keyword("loops"):
            loops = list(
                parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, lambda: parser.parse_attribute()
                )
            )
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(arguments)
        type_ = FunctionType.from_lists([a.type for a in arguments], outputs)
        return cls.create(
            regions=[body],
            properties={
                "sym_name": name,
                "function_type": type_,
                "stage": StringAttr(stage),
                "loops": ArrayAttr(loops),
            },
            attributes=attributes.data if attributes else {},
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f' "{self.stage.data}" (')
        printer.print_list(self.block.args, printer.print_block_argument)
        printer.print_string(") -> ")
        outputs = self.function_type.outputs.data
        if len(outputs) == 1:
            printer.print_attribute(outputs[0])
        else:
            printer.print_string("(")
            printer.print_list(outputs, printer.print_attribute)
            printer.print_string(")")
        if self.loops.data:
            printer.print_string(" loops [")
            printer.print_list(self.loops.data, printer.print_attribute)
            printer.print_string("]")
        if self.attributes:
            printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)

    def verify_(self) -> None:
        """Check the laws of the kernel's stage."""
        from snippets_mlir.dialects.lir.laws import verify_kernel

        verify_kernel(self)


class _TypedOp(IRDLOperation, ABC):
    """An op in the common syntax `%a, %b {attributes} : types`."""

    RESULTS: ClassVar[int] = 1

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operands, attributes, results = parse_typed_operands(parser, cls.RESULTS)
        names = cls.get_irdl_definition().properties
        properties = {k: attributes.pop(k) for k in list(attributes) if k in names}
        return cls.create(
            operands=operands, result_types=results, properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        print_typed_operands(
            printer, self.operands, {**self.properties, **self.attributes}, self.results
        )


class MemoryAccessOp(_TypedOp, ABC):
    """An op that moves `count` elements between memory and a vector register."""

    count = prop_def(IntegerAttr)

    @property
    def elements(self) -> int:
        """Elements moved by one evaluation."""
        return self.count.value.data

    def set_elements(self, count: int) -> None:
        """Change how many elements one evaluation moves."""
        self.properties["count"] = IntegerAttr(count, i64)


@irdl_op_definition
class LoadOp(MemoryAccessOp):
    """Reads `count` elements of the last dim where the port's pointer stands (the guide's Load)."""

    name = "lir.load"
    source = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect(), HasParent(KernelOp))

    def __init__(self, source: SSAValue | Operation, count: int) -> None:
        source = SSAValue.get(source)
        super().__init__(
            operands=[source],
            result_types=[source.type],
            properties={"count": IntegerAttr(count, i64)},
        )


@irdl_op_definition
class BroadcastLoadOp(MemoryAccessOp):
    """Reads one element and spreads it over a vector (the guide's BroadcastLoad)."""

    name = "lir.broadcast_load"
    source = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect(), HasParent(KernelOp))

    def __init__(self, source: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(
            operands=[source],
            result_types=[result_type],
            properties={"count": IntegerAttr(1, i64)},
        )


@irdl_op_definition
class StoreOp(MemoryAccessOp):
    """Writes `count` elements where the pointer of its result's port stands (the guide's Store)."""

    name = "lir.store"
    value = operand_def(TensorType)
    target = result_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, value: SSAValue | Operation, count: int) -> None:
        value = SSAValue.get(value)
        super().__init__(
            operands=[value],
            result_types=[value.type],
            properties={"count": IntegerAttr(count, i64)},
        )


@irdl_op_definition
class ResultOp(_TypedOp):
    """Output `index` of the kernel (the guide's Result).

    It takes the targets of all stores that write the output: one, or one per part of a split loop.
    """

    name = "lir.result"
    RESULTS: ClassVar[int] = 0
    index = prop_def(IntegerAttr)
    values = var_operand_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, values: Sequence[SSAValue], index: int) -> None:
        super().__init__(operands=[values], properties={"index": IntegerAttr(index, i64)})


class LoopMarkerOp(IRDLOperation, ABC):
    """A begin or end of a loop; operands and results are the values that the loop carries."""

    loop_id = prop_def(IntegerAttr)

    @property
    def id(self) -> int:
        """The id of the loop in the kernel's table."""
        return self.loop_id.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `id`, and `(%a, %b) : types` when values are carried."""
        loop_id = IntegerAttr(parser.parse_integer(), i64)
        pos = parser.pos
        carried = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        types: list[Attribute] = []
        if carried:
            parser.parse_punctuation(":")
            types = list(
                parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            )
        attributes = parser.parse_optional_attr_dict()
        return cls.create(
            operands=parser.resolve_operands(carried or [], types, pos),
            result_types=types,
            properties={"loop_id": loop_id},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(f" {self.id}")
        if self.operands:
            printer.print_string(" (")
            printer.print_list(self.operands, printer.print_operand)
            printer.print_string(") : ")
            printer.print_list([v.type for v in self.operands], printer.print_attribute)
        if self.attributes:
            printer.print_string(" ")
            printer.print_attr_dict(self.attributes)


@irdl_op_definition
class LoopBeginOp(LoopMarkerOp):
    """The first op of a loop; returns the carried values of the current iteration."""

    name = "lir.loop_begin"
    carried = var_operand_def(TensorType)
    values = var_result_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, loop_id: int, carried: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[carried],
            result_types=[[v.type for v in carried]],
            properties={"loop_id": IntegerAttr(loop_id, i64)},
        )


@irdl_op_definition
class LoopEndOp(LoopMarkerOp):
    """The last op of a loop; takes the next carried values and returns the final ones."""

    name = "lir.loop_end"
    carried = var_operand_def(TensorType)
    values = var_result_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, loop_id: int, carried: Sequence[SSAValue] = ()) -> None:
        super().__init__(
            operands=[carried],
            result_types=[[v.type for v in carried]],
            properties={"loop_id": IntegerAttr(loop_id, i64)},
        )


@irdl_op_definition
class CallOp(IRDLOperation):
    """Runs a kernel over its whole parallel domain, on the host's side.

    `%r = lir.call @kernel(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`
    """

    name = "lir.call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self, callee: str, inputs: Sequence[SSAValue], output_types: Sequence[Attribute]
    ) -> None:
        super().__init__(
            operands=[inputs],
            result_types=[output_types],
            properties={"callee": SymbolRefAttr(callee)},
        )


def require_stage(kernel: KernelOp, *stages: str) -> None:
    """Raise unless `kernel` is at one of `stages`: a pass names what it takes."""
    if kernel.stage.data not in stages:
        raise VerifyException(
            f"expected @{kernel.sym_name.data} at stage {' or '.join(stages)}, "
            f'found "{kernel.stage.data}"; run the passes of the pipeline in their order'
        )


LIR_OPS = (
    BroadcastLoadOp,
    CallOp,
    KernelOp,
    LoadOp,
    LoopBeginOp,
    LoopEndOp,
    ResultOp,
    StoreOp,
)
