"""`vector.contract`: sums of products along dimensions, such as a matrix product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, StringAttr, VectorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from snippets_mlir.dialects.builtin.shaped import extents_of

ADD = CombiningKindAttr(CombiningKindFlag.ADD)
"""The default kind by which products are combined."""


class IteratorType(StrEnum):
    """What a dimension of a contraction is."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class IteratorTypeAttr(EnumAttribute[IteratorType], SpacedOpaqueSyntaxAttribute):
    """The kind of an iterator: `#vector.iterator_type<parallel>` or `<reduction>`."""

    name = "vector.iterator_type"

    @override
    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IteratorType:
        """Parse `<name>`."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(IteratorType)


@irdl_op_definition
class ContractOp(IRDLOperation):
    """A sum of products: `acc[parallel] += lhs[map 0] * rhs[map 1]` over all reduction dimensions.

    C1: three maps over the iterators, of dimensions only, that fit the ranks of the operands.
    C2: each iterator has one size.
    C3: the accumulator is walked by the parallel iterators and has the type of the result.
    """

    name = "vector.contract"

    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = operand_def()
    indexing_maps = prop_def(ArrayAttr[AffineMapAttr])
    iterator_types = prop_def(ArrayAttr[IteratorTypeAttr])
    kind = prop_def(CombiningKindAttr, default_value=ADD)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        acc: SSAValue | Operation,
        maps: Sequence[AffineMap],
        iterators: Sequence[IteratorType],
        kind: CombiningKindFlag = CombiningKindFlag.ADD,
    ) -> None:
        acc = SSAValue.get(acc)
        super().__init__(
            operands=[lhs, rhs, acc],
            result_types=[acc.type],
            properties={
                "indexing_maps": ArrayAttr(AffineMapAttr(map) for map in maps),
                "iterator_types": ArrayAttr(IteratorTypeAttr(kind) for kind in iterators),
                "kind": CombiningKindAttr(kind),
            },
        )

    @property
    def walks(self) -> tuple[tuple[int, ...], ...]:
        """For lhs, rhs and accumulator the iterator of each dimension."""
        return tuple(
            tuple(e.position for e in map.data.results if isinstance(e, AffineDimExpr))
            for map in self.indexing_maps
        )

    @property
    def sizes(self) -> dict[int, int]:
        """The size of each iterator, by its number."""
        return {
            d: size
            for walk, value in zip(self.walks, self.operands, strict=True)
            for d, size in zip(walk, extents_of(value.type), strict=True)
        }

    @property
    def iterators(self) -> tuple[IteratorType, ...]:
        """The kind of each iterator, parallel or reduction."""
        return tuple(kind.data for kind in self.iterator_types)

    @override
    def verify_(self) -> None:
        count = len(self.iterator_types)
        maps = [map.data for map in self.indexing_maps]
        fits = len(maps) == 3 and all(
            map.num_dims == count
            and not map.num_symbols
            and all(isinstance(e, AffineDimExpr) for e in map.results)
            and len(map.results) == len(extents_of(value.type))
            for map, value in zip(maps, self.operands, strict=True)
        )
        if not fits:
            raise VerifyException(
                f"C1: expected three maps over {count} iterators of the ranks of the operands, "
                f"found {', '.join(map(str, maps))}"
            )
        sizes = self.sizes
        for walk, value in zip(self.walks, self.operands, strict=True):
            found = tuple(sizes[d] for d in walk)
            if found != extents_of(value.type) or len(set(walk)) != len(walk):
                raise VerifyException(
                    f"C2: expected sizes {list(found)} of the iterators, found {value.type}"
                )
        parallel = {d for d, kind in enumerate(self.iterators) if kind is IteratorType.PARALLEL}
        if set(self.walks[2]) != parallel or self.result.type != self.acc.type:
            raise VerifyException(
                f"C3: expected an accumulator walked by iterators {sorted(parallel)} and a result "
                f"of {self.acc.type}, found {list(self.walks[2])} and {self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ContractOp:
        """Parse `{attributes} %lhs, %rhs, %acc attr-dict : type, type into type`."""
        attributes = dict(parser.parse_optional_dictionary_attr_dict())
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes.update(parser.parse_optional_attr_dict())
        parser.parse_punctuation(":")
        position = parser.pos
        types = [parser.parse_type()]
        parser.parse_punctuation(",")
        types.append(parser.parse_type())
        parser.parse_keyword("into")
        types.append(parser.parse_type())
        iterators = attributes.pop("iterator_types", None)
        maps = attributes.pop("indexing_maps", None)
        kind = attributes.pop("kind", ADD)
        if not isinstance(iterators, ArrayAttr) or not isinstance(maps, ArrayAttr):
            parser.raise_error("expected indexing_maps and iterator_types", position, parser.pos)
        return cls.create(
            operands=parser.resolve_operands(names, types, position),
            result_types=[types[2]],
            properties={
                "indexing_maps": cast(Attribute, maps),
                "iterator_types": ArrayAttr(map(_iterator_of, iterators)),  # pyright: ignore[reportUnknownArgumentType]
                "kind": kind,
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the form that `parse` reads; iterators are strings, as in MLIR."""
        shown: dict[str, Attribute] = {
            "indexing_maps": self.indexing_maps,
            "iterator_types": ArrayAttr(StringAttr(kind) for kind in self.iterators),
            "kind": self.kind,
        }
        printer.print_op_attributes(shown)
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.operand_types[:2], printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(self.result.type)


def _iterator_of(attribute: Attribute) -> IteratorTypeAttr:
    if isinstance(attribute, StringAttr):
        return IteratorTypeAttr(IteratorType(attribute.data))
    assert isinstance(attribute, IteratorTypeAttr)
    return attribute


OPS: tuple[type[Operation], ...] = (ContractOp,)
