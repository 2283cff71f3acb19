"""The ONNX front end: names, shapes, constants, functions, whole models."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from imported_models import check_text, main_of
from onnx import helper
from onnx_models import model, save, value
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.product import DIAGONAL
from snippets_mlir.dialects.snippets.resources import load_resource
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"


def op_names(module: ModuleOp) -> Counter[str]:
    names = [op.op_type.data if isinstance(op, NodeOp) else op.name for op in module.walk()]
    return Counter(n for n in names if n not in ("builtin.module", "func.func", "func.return"))


def test_interface_has_the_names_of_the_model():
    x = value("my input/a", ["batch", 4])
    made = model([helper.make_node("Relu", ["my input/a"], ["y:b"])], [x], ["y:b"])
    text = print_module(import_model(made))
    assert '%my_input_a: tensor<?x4xf32> {snippets.name = "my input/a"}' in text
    assert 'tensor<?x4xf32> {snippets.name = "y:b"}' in text
    assert "%y_b = snippets.relu %my_input_a" in text
    check_text(import_model(made))


def test_import_is_deterministic():
    path = LIGHT / "light_resnet50.onnx"
    assert print_module(import_model(path)) == print_module(import_model(path))


def test_input_shapes_fill_in_dynamic_dims():
    x, y = value("x", ["batch", 4]), value("y", [4, "n"])
    made = model([helper.make_node("MatMul", ["x", "y"], ["z"])], [x, y], ["z"])
    assert "tensor<?x?xf32>" in str(main_of(import_model(made)).function_type.outputs)
    module = import_model(made, input_shapes={"x": (3, 4), "y": (None, 5)})
    assert "tensor<3x5xf32>" in str(main_of(module).function_type.outputs)
    assert "tensor<?x?xf32>" in str(main_of(import_model(made)).function_type.outputs)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ({"x": (3, 5)}, "input 'x': expected size 4 of dim 1, found 5"),
        ({"x": (3,)}, "input 'x': expected a shape of 2 dims, found 1"),
        ({"z": (3,)}, "a shape names the input 'z'; the inputs are x"),
    ],
)
def test_input_shapes_that_contradict_the_model(shapes: dict[str, Any], message: str):
    made = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", ["b", 4])], ["y"])
    with pytest.raises(CompileError, match=message):
        import_model(made, input_shapes=shapes)


def test_initializer_that_is_also_an_input_is_a_constant():
    w = np.array([1.0, 2.0], np.float32)
    node = helper.make_node("Add", ["x", "w"], ["y"])
    made = model([node], [value("x", [2]), value("w", [2])], ["y"], {"w": w})
    module = import_model(made)
    assert len(main_of(module).args) == 1
    x = np.array([0.5, 0.5], np.float32)
    np.testing.assert_array_equal(Interpreter(module).run("main", [x])[0], x + w)


def test_output_that_is_a_constant_an_input_and_another_output():
    w = np.array([1, 2], np.int64)
    made = model(
        [helper.make_node("Identity", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["z"])],
        [value("x", [2], np.int64)],
        [value("w", [2], np.int64), "y", "z"],
        {"w": w},
    )
    x = np.array([5, 6], np.int64)
    found = Interpreter(import_model(made)).run("main", [x])
    for array, expected in zip(found, (w, x, -x), strict=True):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("external", [False, True])
def test_large_initializers_of_a_file_are_named(tmp_path: Path, external: bool):
    w = np.arange(200 * 100, dtype=np.float32).reshape(200, 100)
    small = np.ones(100, np.float32)
    made = model(
        [helper.make_node("Add", ["x", "w"], ["a"]), helper.make_node("Add", ["a", "s"], ["y"])],
        [value("x", [200, 100])],
        ["y"],
        {"w": w, "s": small},
    )
    path = tmp_path / "m.onnx"
    save(made, path, external="w.bin" if external else None)
    module = import_model(path)
    constants = [op for op in module.walk() if isinstance(op, ConstantOp)]
    (named,) = [op for op in constants if isinstance(op.value, ResourceAttr)]
    assert isinstance(named.value, ResourceAttr)
    assert named.value.key.data == "w"
    np.testing.assert_array_equal(load_resource(named.value), w)
    assert len(constants) == 2
    check_text(module)
    in_memory = import_model(made)
    assert not any("resource" in str(op) for op in in_memory.walk() if isinstance(op, ConstantOp))
    (tmp_path / ("w.bin" if external else "m.onnx")).unlink()
    with pytest.raises(CompileError, match=r"w\.bin" if external else "does not exist"):
        import_model(path)


def test_parameters_computed_from_constants_are_constants():
    """Reshape, Unsqueeze, Concat, Gather, Slice, Cast and arithmetic on constants disappear."""
    c = np.arange(6, dtype=np.float32)
    constants = {
        "c": c,
        "axes": np.array([1, 2], np.int64),
        "i": np.array([0, 2], np.int64),
        "a": np.array([1], np.int64),
        "b": np.array([5], np.int64),
    }
    made = model(
        [
            helper.make_node("Slice", ["c", "a", "b"], ["s"]),
            helper.make_node("Gather", ["s", "i"], ["g"]),
            helper.make_node("Concat", ["g", "g"], ["cc"], axis=0),
            helper.make_node("Mul", ["cc", "cc"], ["m"]),
            helper.make_node("Transpose", ["m"], ["t"]),
            helper.make_node("Unsqueeze", ["t", "axes"], ["u"]),
            helper.make_node("Add", ["x", "u"], ["y"]),
        ],
        [value("x", [4, 2, 2])],
        ["y"],
        constants,
    )
    module = import_model(made)
    assert op_names(module) == Counter({"snippets.add": 1, "snippets.constant": 1})
    x = np.zeros((4, 2, 2), np.float32)
    expected = np.array([1, 9, 1, 9], np.float32).reshape(4, 1, 1) + x
    np.testing.assert_array_equal(Interpreter(module).run("main", [x])[0], expected)


def test_shape_of_a_static_value_is_a_constant():
    x = value("x", [2, 3, 4])
    forms: list[tuple[dict[str, Any], list[int]]]
    forms = [({}, [2, 3, 4]), ({"start": 1}, [3, 4]), ({"end": -1}, [2, 3])]
    for attributes, expected in forms:
        made = model([helper.make_node("Shape", ["x"], ["y"], **attributes)], [x], ["y"])
        (found,) = Interpreter(import_model(made)).run("main", [np.zeros((2, 3, 4), np.float32)])
        np.testing.assert_array_equal(found, np.array(expected, np.int64))
    made = model([helper.make_node("Shape", ["x"], ["y"])], [value("x", ["n", 3])], ["y"])
    assert op_names(import_model(made)) == Counter({"Shape": 1})


def test_model_local_functions_are_inlined():
    silu = helper.make_function(
        "local",
        "Silu",
        ["a"],
        ["b"],
        [helper.make_node("Sigmoid", ["a"], ["s"]), helper.make_node("Mul", ["a", "s"], ["b"])],
        [helper.make_opsetid("", 18)],
    )
    made = model(
        [
            helper.make_node("Silu", ["x"], ["t"], domain="local"),
            helper.make_node("Silu", ["t"], ["y"], domain="local"),
        ],
        [value("x", [3])],
        [value("y", [3])],
        functions=[silu],
        domains=["local"],
    )
    names = op_names(import_model(made))
    assert names == Counter({"snippets.sigmoid": 2, "snippets.multiply": 2})


@pytest.mark.parametrize("dtype", [np.float32, np.bool_])
@pytest.mark.parametrize("hides", [True, False])
def test_a_mask_in_another_file_has_its_diagonal(dtype: Any, hides: bool, tmp_path: Path):
    """What the mask of a file of its own hides is known, as that of one inside the model."""
    seen = np.tri(300, dtype=np.bool_) if hides else np.ones((300, 300), np.bool_)
    mask: Any = seen if dtype is np.bool_ else np.where(seen, 0, -np.inf).astype(dtype)
    node = helper.make_node("Add" if dtype is np.float32 else "And", ["x", "mask"], ["y"])
    x = value("x", [300, 300], dtype)
    path = tmp_path / "m.onnx"
    found: list[object] = []
    for external in (None, "mask.bin"):
        save(model([node], [x], ["y"], {"mask": mask}), path, external=external)
        (op,) = (o for o in import_model(path).walk() if o.name == "snippets.constant")
        found.append(op.attributes.get(DIAGONAL))
    assert found[0] == found[1]
    assert (found[0] is not None) == hides
