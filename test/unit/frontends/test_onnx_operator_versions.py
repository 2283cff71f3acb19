"""Versions of operators without ONNX's table, beside those of the table."""

from __future__ import annotations

import subprocess
import sys

import pytest
from onnx import defs

from snippets_mlir.frontends.onnx.operator_versions import NEWEST, since, versions


def of_table(operator: str, opset: int, domain: str) -> int | None:
    try:
        return defs.get_schema(operator, opset, domain).since_version
    except (defs.SchemaError, TypeError):
        return None


@pytest.mark.parametrize("domain", sorted(NEWEST))
def test_every_operator_is_as_in_the_table_of_onnx(domain: str) -> None:
    schemas = defs.get_all_schemas_with_history()
    newest = min(NEWEST[domain], max(s.since_version for s in schemas if s.domain == domain))
    names = {s.name for s in schemas if s.domain == domain}
    names |= {name for name, found in versions(domain).items() if min(found) <= newest}
    for name in sorted(names):
        for opset in range(-1, newest + 1):
            assert since(name, opset, domain) == of_table(name, opset, domain), (name, opset)


@pytest.mark.parametrize(
    ("operator", "opset", "domain"),
    [
        ("Relu", NEWEST[""] + 1, ""),
        ("Relu", 1 << 40, ""),
        ("NoSuchOperator", 13, ""),
        ("Relu", 1, "com.microsoft"),
        ("Relu", 0, "nowhere"),
        ("Scaler", NEWEST["ai.onnx.ml"] + 1, "ai.onnx.ml"),
        ("Adam", 1, "ai.onnx.preview.training"),
    ],
)
def test_the_table_of_onnx_says_what_this_one_has_not(
    operator: str, opset: int, domain: str
) -> None:
    assert since(operator, opset, domain) == of_table(operator, opset, domain)


def test_a_small_model_is_imported_without_the_table_of_onnx() -> None:
    text = """
import onnx
from onnx import TensorProto, helper
from snippets_mlir.driver.onnx.inside.kernels import chain_module
from snippets_mlir.frontends.onnx import import_graph, prepare_model
def refuse(*_): raise AssertionError("ONNX's table of operators is asked for")
onnx.defs.get_schema = onnx.checker.check_model = refuse
nodes = [helper.make_node(*n) for n in (("Elu", ["x"], ["a"]), ("Relu", ["a"], ["y"]))]
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 3])
graph = helper.make_graph(nodes, "g", [value("x")], [value("y")])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
prepared = prepare_model(model, checked=False)
prepared.take_as_sound()
assert len(import_graph(prepared).origins) == 2
assert "snippets.relu" in str(chain_module(model))
"""
    subprocess.run([sys.executable, "-c", text], check=True)
