"""The `lir` dialect: the linear IR of the Snippets design guide."""

from xdsl.ir import Dialect

from snippets_mlir.dialects.lir.attributes import LoopAttr, PortAttr
from snippets_mlir.dialects.lir.ops import LIR_OPS

Lir = Dialect("lir", [*LIR_OPS], [LoopAttr, PortAttr])
