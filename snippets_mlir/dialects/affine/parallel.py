"""`affine.parallel`: a nest of loops whose iterations may run at the same time.

    %r = affine.parallel (%i, %j) = (0, max(%a, 3)) to (min(%n, %a + 5), 8) step (1, 2)
        reduce ("addf") -> (f32) {
      affine.yield %x : f32
    }

Upstream has no text for it. Its verifier does not know that the operands of the lower bounds come
before the operands of the upper bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.affine.parallel_text import (
    REDUCTIONS,
    parse_bounds,
    parse_reduction,
    print_bounds,
)
from snippets_mlir.dialects.affine.regions import (
    parse_types,
    print_body,
    print_types,
    terminate,
    verify_yield,
)
from snippets_mlir.dialects.affine.scope import verify_operands
from snippets_mlir.dialects.affine.text import split_bounds


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """Parallel loops, with reductions of the yielded values.

    C1, C2, C3: the operands of both maps (`scope.verify_operands`).
    C4: a lower bound, an upper bound, a positive step and a block argument for each loop.
    C5: the block ends with an `affine.yield` of the types of the results.
    C6: one known reduction for each result.
    """

    name: ClassVar[str] = "affine.parallel"

    mapOperands = var_operand_def(IndexType())
    reductions = prop_def(ArrayAttr[IntegerAttr])
    lowerBoundsMap = prop_def(AffineMapAttr)
    lowerBoundsGroups = prop_def(DenseIntElementsAttr)
    upperBoundsMap = prop_def(AffineMapAttr)
    upperBoundsGroups = prop_def(DenseIntElementsAttr)
    steps = prop_def(ArrayAttr[IntegerAttr])
    res = var_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        lower: tuple[Sequence[Sequence[AffineExpr]], AffineMap, Sequence[SSAValue]],
        upper: tuple[Sequence[Sequence[AffineExpr]], AffineMap, Sequence[SSAValue]],
        steps: Sequence[int],
        body: Region,
        reductions: Sequence[str] = (),
        result_types: Sequence[Attribute] = (),
    ) -> None:
        """Make the op; a bound is (expressions of each loop, a map of them all, its operands)."""
        super().__init__(
            operands=[[*lower[2], *upper[2]]],
            result_types=[result_types],
            properties={
                "reductions": ArrayAttr(
                    IntegerAttr(REDUCTIONS.index(name), i64) for name in reductions
                ),
                "lowerBoundsMap": AffineMapAttr(lower[1]),
                "lowerBoundsGroups": _groups(lower[0]),
                "upperBoundsMap": AffineMapAttr(upper[1]),
                "upperBoundsGroups": _groups(upper[0]),
                "steps": ArrayAttr(IntegerAttr(step, i64) for step in steps),
            },
            regions=[body],
        )

    @property
    def lower_operands(self) -> Sequence[SSAValue]:
        """The operands of the lower bounds."""
        map = self.lowerBoundsMap.data
        return self.mapOperands[: map.num_dims + map.num_symbols]

    @property
    def upper_operands(self) -> Sequence[SSAValue]:
        """The operands of the upper bounds."""
        return self.mapOperands[len(self.lower_operands) :]

    @property
    def lower_bounds(self) -> list[tuple[AffineExpr, ...]]:
        """For each loop the expressions whose maximum it starts at."""
        return split_bounds(self.lowerBoundsMap.data, _sizes(self.lowerBoundsGroups))

    @property
    def upper_bounds(self) -> list[tuple[AffineExpr, ...]]:
        """For each loop the expressions whose minimum it ends before."""
        return split_bounds(self.upperBoundsMap.data, _sizes(self.upperBoundsGroups))

    @property
    def step_values(self) -> tuple[int, ...]:
        """The step of each loop as an int, outermost loop first."""
        return tuple(step.value.data for step in self.steps)

    @property
    def reduction_names(self) -> tuple[str, ...]:
        """For each result, the `AtomicRMWKind` that combines it, such as `addf`."""
        return tuple(REDUCTIONS[kind.value.data] for kind in self.reductions)

    @override
    def verify_(self) -> None:
        loops = len(self.body.block.args)
        for what, map, groups, operands in (
            ("lower bounds", self.lowerBoundsMap, self.lowerBoundsGroups, self.lower_operands),
            ("upper bounds", self.upperBoundsMap, self.upperBoundsGroups, self.upper_operands),
        ):
            verify_operands(what, map.data, operands)
            sizes = _sizes(groups)
            if len(sizes) != loops or sum(sizes) != len(map.data.results) or 0 in sizes:
                raise VerifyException(
                    f"C4: expected {what} of {loops} loops, found groups {list(sizes)} of "
                    f"{len(map.data.results)} expressions"
                )
        if len(self.steps) != loops or any(step <= 0 for step in self.step_values):
            raise VerifyException(
                f"C4: expected a positive step of each of {loops} loops, "
                f"found {list(self.step_values)}"
            )
        kinds = [kind.value.data for kind in self.reductions]
        if len(kinds) != len(self.res) or any(not 0 <= k < len(REDUCTIONS) for k in kinds):
            raise VerifyException(
                f"C6: expected a reduction of each of {len(self.res)} results, found {kinds}"
            )
        verify_yield(self.body, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        """Parse `(%i, ...) = (bounds) to (bounds) [step (...)] [reduce (...) -> types] region`."""
        inductions = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        parser.parse_punctuation("=")
        lower = parse_bounds(parser, "max")
        parser.parse_keyword("to")
        upper = parse_bounds(parser, "min")
        steps: Sequence[int] = [1] * len(inductions)
        if parser.parse_optional_keyword("step"):
            steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
        reductions: Sequence[str] = ()
        types: Sequence[Attribute] = ()
        if parser.parse_optional_keyword("reduce"):
            reductions = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_reduction(parser)
            )
            parser.parse_punctuation("->")
            types = parse_types(parser)
        body = parser.parse_region([name.resolve(IndexType()) for name in inductions])
        terminate(body)
        op = cls(lower, upper, steps, body, reductions, types)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        printer.print_list(
            self.body.block.args, lambda arg: printer.print_block_argument(arg, print_type=False)
        )
        printer.print_string(") = (")
        print_bounds(
            printer, "max", self.lower_bounds, self.lowerBoundsMap.data, self.lower_operands
        )
        printer.print_string(") to (")
        print_bounds(
            printer, "min", self.upper_bounds, self.upperBoundsMap.data, self.upper_operands
        )
        printer.print_string(")")
        if any(step != 1 for step in self.step_values):
            printer.print_string(f" step ({', '.join(map(str, self.step_values))})")
        if self.res:
            names = ", ".join(f'"{name}"' for name in self.reduction_names)
            printer.print_string(f" reduce ({names})")
        print_types(printer, self.result_types)
        print_body(printer, self.body, yields=bool(self.res))
        printer.print_op_attributes(self.attributes)


def _groups(groups: Sequence[Sequence[AffineExpr]]) -> DenseIntElementsAttr:
    type = TensorType(i32, [len(groups)])
    return DenseIntElementsAttr.from_list(type, [len(group) for group in groups])


def _sizes(groups: DenseIntElementsAttr) -> tuple[int, ...]:
    return tuple(int(size) for size in groups.get_values())


OPS: tuple[type[Operation], ...] = (ParallelOp,)
