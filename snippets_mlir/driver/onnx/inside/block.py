"""The channels of a block of the engine's blocked layout on this computer: 8 or 16."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnx

from snippets_mlir.driver.onnx.inside.values import NCHWC, TO_BLOCKED
from snippets_mlir.runtime.engine.opening import open_session

_SHAPE = (1, 4, 1, 1)


@cache
def block_of_engine() -> int:
    """onnxruntime's form of four channels: a block that is filled up with zeros."""
    node = onnx.helper.make_node(TO_BLOCKED, ["x"], ["y"], domain=NCHWC)
    given, made = (
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        for name, shape in (("x", _SHAPE), ("y", None))
    )
    graph = onnx.helper.make_graph([node], "block", [given], [made])
    versions = [onnx.helper.make_opsetid("", 13), onnx.helper.make_opsetid(NCHWC, 1)]
    model = onnx.helper.make_model(graph, opset_imports=versions, ir_version=8)
    session = open_session(model.SerializeToString())
    (blocked,) = session.run({"x": np.zeros(_SHAPE, np.float32)})
    return int(blocked.shape[1])
