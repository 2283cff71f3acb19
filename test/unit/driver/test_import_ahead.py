"""The import of a dynamic model begins while its session opens."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.driver.onnx import model_ahead, planned_model, whole_model
from snippets_mlir.driver.onnx.import_ahead import ImportAhead
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.frontends.onnx.graph import GraphImport
from snippets_mlir.support.printing import print_module

OPERATORS = ("Softplus", "Exp", "Tanh", "Neg")
SHAPE = ("n", 1 << 14)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(model_ahead, "cores", lambda: 2)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators of the nodes that are imported; the session opens when all are."""
    found: list[str] = []
    done = Event()
    import_node: Callable[..., None] = GraphImport._import  # pyright: ignore[reportPrivateUsage]

    def noted(self: GraphImport, index: int, proto: onnx.NodeProto) -> None:
        import_node(self, index, proto)
        found.append(proto.op_type)
        if len(found) == len(OPERATORS):
            done.set()

    def model_session(*arguments: Any, **options: Any) -> Any:
        done.wait(20)
        return whole_model.model_session(*arguments, **options)

    monkeypatch.setattr(GraphImport, "_import", noted)
    monkeypatch.setattr(model_ahead, "model_session", model_session)
    return found


def pays(*_: object) -> bool:
    return True


def chain(last: str = OPERATORS[-1]) -> onnx.ModelProto:
    """Four nodes in turn."""
    operators = (*OPERATORS[:-1], last)
    names = ["x", *(f"v{i}" for i in range(len(operators) - 1)), "y"]
    nodes = [helper.make_node(o, [names[i]], [names[i + 1]]) for i, o in enumerate(operators)]
    return model(nodes, [value("x", [*SHAPE])], [value("y", [*SHAPE])])


def test_the_first_call_imports_only_what_is_left(
    imported: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planned_model, "may_pay", pays)
    compiled = snippets_mlir.compile(chain().SerializeToString())
    assert imported == [*OPERATORS]
    x = np.linspace(-1, 1, 3 << 14, dtype=np.float32).reshape(3, -1)
    np.testing.assert_allclose(compiled(x), -np.tanh(1 + np.exp(x)), rtol=1e-5)
    assert len(compiled.kernels) == 1
    assert imported == [*OPERATORS] * 2  # for the plan, and once more for what the plan says


def test_an_operator_that_the_import_refuses_is_told_by_onnxruntime(imported: list[str]) -> None:
    with pytest.raises(snippets_mlir.CompileError, match="Unknown"):
        snippets_mlir.compile(chain("Unknown").SerializeToString())
    assert imported[:4] == [*OPERATORS[:3], "Unknown"]


@pytest.mark.parametrize("nodes", range(6))
def test_an_import_that_goes_on_gives_the_same_module(nodes: int, tmp_path: Path) -> None:
    (path := tmp_path / "m.onnx").write_bytes(chain().SerializeToString())
    prepared, ahead, asked = prepare_model(path), ImportAhead(), count()
    ahead.begin(prepared, lambda: next(asked) < nodes)
    numbering, begun = ahead.take(prepared)
    assert (begun is None) == (nodes == 0)
    found = import_graph(prepared, sizes=numbering.number, hashed=False, begun=begun)
    expected = import_graph(prepared, sizes=Numbering().number)
    assert print_module(found.module) == print_module(expected.module)
    assert [*found.origins.values()] == [*expected.origins.values()]


def test_an_import_is_taken_once_and_for_its_model() -> None:
    prepared, other = prepare_model(chain()), prepare_model(chain())
    ahead = ImportAhead()
    for begins, model_, is_there in (
        (True, prepared, True),
        (False, prepared, False),
        (True, other, False),
        (False, prepared, False),
    ):
        if begins:
            ahead.begin(prepared, lambda: True)
        assert (ahead.take(model_)[1] is not None) == is_there
    ahead.begin(prepared, lambda: True)
    ahead.forget()
    assert ahead.take(prepared)[1] is None
