"""What tests of values name: fixtures' types, element types and special numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    i1,
)
from xdsl.ir import Attribute

from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.conversion import ConvertSaturationOp, ConvertTruncationOp

Array = NDArray[Any]
ValueOf = Callable[..., Array]
Same = Callable[[Array, Array], bool]
Special = Callable[[np.dtype[Any]], Array]
NewProgram = Callable[[Sequence[Array]], Any]
Conversion = type[ConvertTruncationOp] | type[ConvertSaturationOp]

f16, f32, f64, bf16_type = Float16Type(), Float32Type(), Float64Type(), BFloat16Type()
i8, i32, i64 = IntegerType(8), IntegerType(32), IntegerType(64)
ui8 = IntegerType(8, Signedness.UNSIGNED)
INTS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
INF, NAN = math.inf, math.nan
ELEMENTS: dict[str, tuple[Attribute, ...]] = {
    "float": (f32, f64, f16, bf16_type),
    "signed": (i8, i64),
    "unsigned": (ui8,),
    "bool": (i1,),
}
CONVERTIBLE = (i1, i8, ui8, i32, i64, f16, bf16_type, f32, f64)
OPS: dict[str, Any] = {op.name.removeprefix("snippets."): op for op in Snippets.operations}
BOOLEAN = ("select", "logical_not", "logical_and", "logical_or", "logical_xor")
