"""`vector` ops that combine elements along dimensions: multi_reduction, contract, outerproduct."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from snippets_mlir.dialects.shaped import element_of, shape_of
from snippets_mlir.dialects.vector.lanes import integers_in

_ADD = CombiningKindAttr(CombiningKindFlag.ADD)


@irdl_op_definition
class MultiReductionOp(IRDLOperation):
    """Dimensions reduced away: `vector.multi_reduction <add>, %v, %acc [1] : ... to ...`.

    C1: the dimensions are different ones of the source.
    C2: result and accumulator have the sizes that are left; a scalar if none is.
    """

    name = "vector.multi_reduction"
    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType)
    acc = operand_def(T)
    kind = prop_def(CombiningKindAttr)
    reduction_dims = prop_def(DenseArrayBase.constr(i64))
    dest = result_def(T)
    traits = traits_def(Pure())

    assembly_format = (
        "$kind `,` $source `,` $acc $reduction_dims attr-dict `:` type($source) `to` type($dest)"
    )

    def __init__(
        self,
        kind: CombiningKindFlag,
        source: SSAValue | Operation,
        acc: SSAValue | Operation,
        dims: Sequence[int],
    ) -> None:
        acc = SSAValue.get(acc)
        super().__init__(
            operands=[source, acc],
            result_types=[acc.type],
            properties={
                "kind": CombiningKindAttr(kind),
                "reduction_dims": DenseArrayBase.from_list(i64, dims),
            },
        )

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions that are reduced."""
        return integers_in(self.reduction_dims)

    def verify_(self) -> None:
        """Check C1 and C2."""
        shape = shape_of(self.source.type)
        dims = self.dims
        if len(set(dims)) != len(dims) or any(not 0 <= d < len(shape) for d in dims):
            raise VerifyException(
                f"C1: expected different dimensions of {self.source.type}, found {list(dims)}"
            )
        left = [size for d, size in enumerate(shape) if d not in dims]
        element = element_of(self.source.type)
        expected = VectorType(element, left) if left else element
        if self.dest.type != expected:
            raise VerifyException(f"C2: expected a result of {expected}, found {self.dest.type}")


class IteratorType(StrEnum):
    """What a dimension of a contraction is."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class IteratorTypeAttr(EnumAttribute[IteratorType], SpacedOpaqueSyntaxAttribute):
    """`#vector.iterator_type<parallel>`."""

    name = "vector.iterator_type"

    def print_parameter(self, printer: Printer) -> None:
        """Print `<name>`."""
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
    kind = prop_def(CombiningKindAttr, default_value=_ADD)
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
        """The size of each iterator."""
        return {
            d: size
            for walk, value in zip(self.walks, self.operands, strict=True)
            for d, size in zip(walk, shape_of(value.type), strict=True)
        }

    @property
    def iterators(self) -> tuple[IteratorType, ...]:
        """What each iterator is."""
        return tuple(kind.data for kind in self.iterator_types)

    def verify_(self) -> None:
        """Check C1 to C3."""
        count = len(self.iterator_types)
        maps = [map.data for map in self.indexing_maps]
        fits = len(maps) == 3 and all(
            map.num_dims == count
            and not map.num_symbols
            and all(isinstance(e, AffineDimExpr) for e in map.results)
            and len(map.results) == len(shape_of(value.type))
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
            if found != shape_of(value.type) or len(set(walk)) != len(walk):
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
        kind = attributes.pop("kind", _ADD)
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
        """Print what `parse` reads; iterators as strings, as MLIR does."""
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


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """`acc[i, j] += lhs[i] * rhs[j]`; with a scalar on the right `acc[i] += lhs[i] * rhs`.

    C1: vectors of rank 1 (or a scalar on the right) of one element type, and the result and the
        accumulator have their sizes.
    """

    name = "vector.outerproduct"

    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def(VectorType)
    kind = prop_def(CombiningKindAttr, default_value=_ADD)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        acc: SSAValue | Operation | None = None,
        kind: CombiningKindAttr = _ADD,
    ) -> None:
        lhs, rhs = SSAValue.get(lhs), SSAValue.get(rhs)
        sizes = [*shape_of(lhs.type), *shape_of(rhs.type)]
        super().__init__(
            operands=[lhs, rhs, acc],
            result_types=[VectorType(element_of(lhs.type), sizes)],
            properties={"kind": kind},
        )

    def verify_(self) -> None:
        """Check C1."""
        lhs, rhs = self.lhs.type, self.rhs.type
        expected = VectorType(element_of(lhs), [*shape_of(lhs), *shape_of(rhs)])
        accumulator = expected if self.acc is None else self.acc.type
        good = len(shape_of(lhs)) == 1 and len(shape_of(rhs)) <= 1
        if not good or element_of(rhs) != element_of(lhs) or self.result.type != expected:
            raise VerifyException(
                f"C1: expected two vectors of rank 1 and a result of their sizes, found {lhs}, "
                f"{rhs} and {self.result.type}"
            )
        if accumulator != expected:
            raise VerifyException(f"C1: expected an accumulator of {expected}, found {accumulator}")

    @classmethod
    def parse(cls, parser: Parser) -> OuterProductOp:
        """Parse `%lhs, %rhs[, %acc] attr-dict : type, type`."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        lhs = parser.parse_type()
        parser.parse_punctuation(",")
        rhs = parser.parse_type()
        types = [lhs, rhs]
        if len(names) > 2:
            types.append(VectorType(element_of(lhs), [*shape_of(lhs), *shape_of(rhs)]))
        operands = parser.resolve_operands(names, types, position)
        kind = attributes.pop("kind", _ADD)
        if not isinstance(kind, CombiningKindAttr):
            parser.raise_error(f"expected a kind, found {kind}", position, parser.pos)
        op = cls(operands[0], operands[1], operands[2] if len(names) > 2 else None, kind)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        """Print what `parse` reads."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes({"kind": self.kind, **self.attributes})
        printer.print_string(" : ")
        printer.print_list(self.operand_types[:2], printer.print_attribute)


OPS: tuple[type[Operation], ...] = (ContractOp, MultiReductionOp, OuterProductOp)
