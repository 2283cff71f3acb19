"""IR to text, which `parsing` reads back to the same IR."""

from __future__ import annotations

from io import StringIO
from typing import cast

from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.printer import Printer


class ExactPrinter(Printer):
    """A printer that keeps the sign of zeros: upstream takes `dense<[0.0, -0.0]>` for a splat."""

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute, elements that are equal in value but not in bits as bytes."""
        if isinstance(attribute, DenseIntOrFPElementsAttr):
            dense = cast("DenseIntOrFPElementsAttr", attribute)
            if _false_splat(dense):
                self.print_string(f'dense<"0x{dense.data.data.hex().upper()}"> : ')
                super().print_attribute(dense.get_type())
                return
            attribute = dense
        super().print_attribute(attribute)


def _false_splat(dense: DenseIntOrFPElementsAttr) -> bool:
    data, count = dense.data.data, len(dense)
    if count < 2 or not isinstance(dense.get_element_type(), AnyFloat):
        return False
    first = data[: len(data) // count]
    return data != first * count and dense.is_splat()


def print_module(module: ModuleOp, generic: bool = False, *, locations: bool = False) -> str:
    """The text of a module, with a newline at its end.

    Args:
        module: what to print.
        generic: whether to print the generic form of every op.
        locations: whether to print `loc(...)` after every op.
    """
    stream = StringIO()
    printer = ExactPrinter(stream=stream, print_generic_format=generic, print_debuginfo=locations)
    printer.print_op(module)
    stream.write("\n")
    return stream.getvalue()
