"""`llvm.mlir.global`, with MLIR's text if its visibility is the default one."""

from __future__ import annotations

from xdsl.dialects import llvm as upstream
from xdsl.ir import Operation
from xdsl.printer import Printer


class GlobalOp(upstream.GlobalOp):
    """A global variable.

    Its visibility is a keyword in MLIR's text, so it must not also be among the attributes.
    """

    def print(self, printer: Printer) -> None:
        """Print the text that MLIR and `parse` read."""
        plain = self
        if self.visibility_ is not None and self.visibility_.value.data == 0:
            plain = self.clone()
            del plain.properties["visibility_"]
        upstream.GlobalOp.print(plain, printer)


OPS: tuple[type[Operation], ...] = (GlobalOp,)
