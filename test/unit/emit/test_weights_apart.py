"""What an initializer says of data that a session is given apart."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from xdsl.dialects.builtin import f32

from snippets_mlir.dialects.builtin.shaped import tensor_type
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.emit.onnx_initializers import NUMBERS, initializer


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (5, 7)])
@pytest.mark.parametrize("code", sorted(NUMBERS))
def test_the_length_is_that_of_the_data(code: int, shape: tuple[int, ...]) -> None:
    array = np.zeros(shape, onnx.helper.tensor_dtype_to_np_dtype(code))
    tensor = numpy_helper.from_array(array, "given")
    if not tensor.HasField("raw_data"):
        pytest.skip("its data is in the model")
    value = ResourceAttr.of("", "given", "")
    op = ConstantOp.create(result_types=[tensor_type(f32, shape)], properties={"value": value})
    apart: dict[str, str] = {}
    found = initializer(op, "w", {"given": tensor}, apart)
    facts = {entry.key: entry.value for entry in found.external_data}
    assert facts == {"location": "weights", "offset": "0", "length": str(len(tensor.raw_data))}
    assert (found.name, found.data_type, tuple(found.dims)) == ("w", code, shape)
    assert apart == {"w": "given"}
