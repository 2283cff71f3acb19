"""Annotations of loops for LLVM: `#llvm.loop_annotation`, as in MLIR.

    #by_4 = #llvm.loop_unroll<count = 4 : i32>
    scf.for ... { ... } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #by_4>}

`convert-scf-to-cf` moves it to the branch back to the loop, `convert-cf-to-llvm` makes it the
`loop_annotation` of an `llvm.br`, and in LLVM IR it is metadata of that branch. The only supported
keys are `disable` and `count` of unrolling; others are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, IntegerType, NoneAttr, i32
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

ON_LOOPS = "llvm.loop_annotation"
"""The attribute of an `scf.for`, and of the `cf.br` back to it."""
ON_BRANCHES = "loop_annotation"
"""The attribute of an `llvm.br`."""


def _parsed(parser: AttrParser, keys: Sequence[str]) -> list[Attribute]:
    """The values of `<key = value, ...>`, in the order of `keys`; NoneAttr for omitted keys."""
    found: dict[str, Attribute] = {}
    with parser.in_angle_brackets():
        key = parser.parse_optional_identifier()
        while key is not None:
            if key not in keys or key in found:
                parser.raise_error(f"expected one of {', '.join(keys)}, once, found {key}")
            parser.parse_punctuation("=")
            found[key] = parser.parse_attribute()
            key = parser.parse_identifier() if parser.parse_optional_punctuation(",") else None
    return [found.get(key, NoneAttr()) for key in keys]


def _print(printer: Printer, values: dict[str, Attribute]) -> None:
    given = [(key, value) for key, value in values.items() if not isinstance(value, NoneAttr)]
    with printer.in_angle_brackets():
        for place, (key, value) in enumerate(given):
            printer.print_string(f"{', ' if place else ''}{key} = ")
            printer.print_attribute(value)


def _number(value: Attribute, width: int) -> int | None:
    """The number in an integer attribute of a width; None for any other attribute."""
    if not isinstance(value, IntegerAttr):
        return None
    integer = cast("IntegerAttr[IntegerType]", value)
    return integer.value.data if integer.type == IntegerType(width) else None


@irdl_attr_definition
class LoopUnrollAttr(ParametrizedAttribute):
    """How a loop is unrolled: `#llvm.loop_unroll<disable = true>` or `<count = 4 : i32>`.

    `count` iterations become one, followed by a loop for the rest; `disable` keeps the loop
    unchanged.
    """

    name = "llvm.loop_unroll"
    disable: Attribute = param_def()
    count: Attribute = param_def()

    @classmethod
    def by(cls, count: int) -> LoopUnrollAttr:
        """The attribute for unrolling by `count`, which is positive."""
        return cls(NoneAttr(), IntegerAttr(count, i32))

    @classmethod
    def never(cls) -> LoopUnrollAttr:
        """The attribute for a loop that is not unrolled."""
        return cls(IntegerAttr(1, IntegerType(1)), NoneAttr())

    @override
    def verify(self) -> None:
        if isinstance(self.disable, NoneAttr) and isinstance(self.count, NoneAttr):
            raise VerifyException("expected disable or count")
        if not isinstance(self.disable, NoneAttr) and _number(self.disable, 1) is None:
            raise VerifyException(f"expected disable = true or false, found {self.disable}")
        if not isinstance(self.count, NoneAttr) and (_number(self.count, 32) or 0) < 1:
            raise VerifyException(f"expected a positive count of type i32, found {self.count}")

    @classmethod
    @override
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parsed(parser, ("disable", "count"))

    @override
    def print_parameters(self, printer: Printer) -> None:
        _print(printer, {"disable": self.disable, "count": self.count})

    def nodes(self) -> list[str]:
        """The LLVM metadata nodes for this attribute."""
        found: list[str] = []
        if _number(self.disable, 1):
            found.append('!"llvm.loop.unroll.disable"')
        if (count := _number(self.count, 32)) is not None:
            found.append(f'!"llvm.loop.unroll.count", i32 {count}')
        return found


@irdl_attr_definition
class LoopAnnotationAttr(ParametrizedAttribute):
    """A loop annotation for LLVM: `#llvm.loop_annotation<unroll = #llvm.loop_unroll<...>>`."""

    name = "llvm.loop_annotation"
    unroll: LoopUnrollAttr = param_def()

    @classmethod
    @override
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return _parsed(parser, ("unroll",))

    @override
    def print_parameters(self, printer: Printer) -> None:
        _print(printer, {"unroll": self.unroll})


ATTRIBUTES = (LoopAnnotationAttr, LoopUnrollAttr)
