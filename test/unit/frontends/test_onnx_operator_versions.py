"""The version since which an operator is as in an opset, and what is imported unchecked."""

from __future__ import annotations

import pytest
from onnx import defs, helper
from warm_process import run_warm

from snippets_mlir.frontends.onnx import operator_versions
from snippets_mlir.frontends.onnx.operator_versions import since
from snippets_mlir.frontends.onnx.shapes.schemas import schema_of
from snippets_mlir.frontends.onnx.versions import described


@pytest.mark.parametrize(
    ("operator", "opset", "found"),
    [
        ("Relu", 13, 13),
        ("Relu", 12, 6),
        ("Gelu", 19, None),
        ("Relu", 1 << 40, None),
        ("NoSuchOperator", 13, None),
    ],
)
def test_an_operator_is_as_old_as_its_last_change(
    operator: str, opset: int, found: int | None
) -> None:
    assert since(operator, opset) == found


def test_models_of_our_own_are_not_checked() -> None:
    text = """
import onnx
from onnx import TensorProto, helper
from snippets_mlir.driver.onnx.inside.kernels import chain_module
from snippets_mlir.frontends.onnx import import_graph, prepare_model
def refuse(*_): raise AssertionError("a model is checked")
onnx.checker.check_model = refuse
nodes = [helper.make_node(*n) for n in (("Elu", ["x"], ["a"]), ("Relu", ["a"], ["y"]))]
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
graph = helper.make_graph(nodes, "g", [value("x")], [value("y")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
prepared = prepare_model(model, checked=False)
prepared.take_as_sound()
assert len(import_graph(prepared).origins) == 2
assert "snippets.relu" in str(chain_module(model))
"""
    done = run_warm("-c", text)
    assert done.returncode == 0, done.stderr


def test_versions_that_are_written_down_are_those_of_onnx():
    names = {schema.name for schema in defs.get_all_schemas_with_history() if not schema.domain}
    newest = min(operator_versions.NEWEST, defs.onnx_opset_version())
    for name in sorted({*names, "NoSuchOperator"}):
        for opset in range(1, newest + 1):
            try:
                expected = defs.get_schema(name, opset, "").since_version
            except defs.SchemaError:
                expected = None
            assert operator_versions.since(name, opset) == expected, (name, opset)
    assert operator_versions.since("Add", 0) is None
    assert operator_versions.since("Add", 1 << 40) is None


def test_onnx_is_not_asked_for_operators_that_are_known(monkeypatch: pytest.MonkeyPatch):
    """It makes tables of all its operators when it is first asked, which takes 12 ms."""

    def get_schema(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(operator_versions.defs, "get_schema", get_schema)
    assert operator_versions.since.__wrapped__("Relu", 13) == 13
    assert operator_versions.since.__wrapped__("Relu", 12) == 6
    assert operator_versions.since.__wrapped__("Gelu", 19) is None
    for domain, operator in (("ai.onnx.ml", "Scaler"), ("com.microsoft", "FusedGemm")):
        proto = helper.make_node(operator, ["x"], ["y"], domain=domain)
        assert described(proto, {"": 17, domain: 1}).since is None
    assert schema_of.__wrapped__("FusedGemm", 1, "com.microsoft") is None
