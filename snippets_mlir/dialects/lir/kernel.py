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
* `looped`: `lir.loop_begin` and `lir.loop_end` are around each loop;
* `assigned`: ports name physical registers, and slots only where values are spilled;
* `expanded`: no loop has a tail: tails are loops of their own. Its ports name registers if they did
  before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    NoTerminator,
    SymbolOpInterface,
)

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import SizeAttr, is_size, size_attr, size_in
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.loops import LoopAttr, LoopInfo

SCRATCH = "lir.scratch"
STAGES = ("linear", "marked", "accessed", "looped", "assigned", "expanded")


def _has_symbol(op: Operation) -> bool:
    """Whether a property of `op` is a size with symbols, or a list with one."""
    for attr in op.properties.values():
        found = cast("ArrayAttr[Attribute]", attr) if isinstance(attr, ArrayAttr) else (attr,)
        if SizeAttr in map(type, found):
            return True
    return False


@irdl_op_definition
class KernelOp(Op):
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
        (body,) = self.regions  # `self.body` would read the definition of the op
        return body.block

    @property
    def loop_table(self) -> dict[int, LoopInfo]:
        """The loops by id, in table order."""
        return {attr.data.id: attr.data for attr in self.loops}

    @property
    def scratch(self) -> Dim:
        """Bytes of scratchpad that each thread needs: a multiple of 64."""
        attr = self.attributes.get(SCRATCH)
        return size_in(attr) if is_size(attr) else 0

    def set_scratch(self, size: Dim) -> None:
        """Write the bytes of scratchpad that each thread needs."""
        self.attributes[SCRATCH] = size_attr(size)

    @property
    def dynamic(self) -> bool:
        """Whether some size has a symbol (see `dialects/builtin/dims.py`)."""
        if any(has_symbols(attr.data.sizes) for attr in self.loops):
            return True
        shapes = {(*port.shape, *port.strides) for op in self.block.ops for port in ports(op)}
        return any(map(has_symbols, shapes)) or any(map(_has_symbol, self.block.ops))

    def set_loops(self, loops: Sequence[LoopInfo]) -> None:
        """Replace the loop table; the order of `loops` is kept."""
        self.properties["loops"] = ArrayAttr([LoopAttr(loop) for loop in loops])

    def set_stage(self, stage: str) -> None:
        """Set the stage, whose laws the verifier checks from now on."""
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

    @override
    def print(self, printer: Printer) -> None:
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
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)

    def verify_(self) -> None:
        """Check the laws of the kernel's stage."""
        from snippets_mlir.dialects.lir.laws import verify_kernel

        verify_kernel(self)
