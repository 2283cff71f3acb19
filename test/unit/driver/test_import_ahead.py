"""The import for the plan begins while the session of a dynamic model opens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cut_models import between_products, check

import snippets_mlir
from snippets_mlir.driver.onnx import kept_model, model_ahead
from snippets_mlir.driver.onnx.cuts import planned_model
from snippets_mlir.driver.onnx.import_ahead import PlannedImport
from snippets_mlir.driver.onnx.model_ahead import ModelAhead
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import prepare_model
from snippets_mlir.frontends.onnx.prepare import PreparedModel

pytestmark = pytest.mark.usefixtures("foreign_products")

NODES = 4


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(model_ahead, "cores", lambda: 2)


def ahead(prepared: PreparedModel, nodes: int) -> PlannedImport | None:
    """An import with time for some nodes."""
    left: Iterator[bool] = iter([True] * (nodes + 1) + [False])
    return PlannedImport.ahead(prepared, lambda: next(left))


@pytest.mark.parametrize("nodes", range(NODES + 2))
def test_steps_make_the_same_module_as_a_whole_import(nodes: int) -> None:
    prepared = prepare_model(between_products())
    whole = PlannedImport(prepared, Numbering()).finished()
    begun = ahead(prepared, nodes)
    assert begun is not None
    assert begun.begun is not None
    assert len(set(begun.begun.origins.values())) == min(nodes, NODES)
    found = begun.finished()
    assert str(found.module) == str(whole.module)
    assert [*found.origins.values()] == [*whole.origins.values()]


def test_a_node_that_fails_leaves_the_import_to_the_plan() -> None:
    prepared = prepare_model(between_products())
    del prepared.model.graph.node[1].input[:]
    assert ahead(prepared, 1) is not None
    assert ahead(prepared, NODES) is None


@pytest.mark.parametrize("nodes", [1, NODES])
def test_the_first_plan_takes_the_import(
    nodes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[PlannedImport | None] = []
    taken: list[PlannedImport] = []

    class Noted(PlannedImport):
        """An import that notes how it was begun, and which one a plan finishes."""

        @classmethod
        def ahead(
            cls, prepared: PreparedModel, goes_on: Callable[[], bool]
        ) -> PlannedImport | None:
            assert goes_on()
            begun.append(found := ahead(prepared, nodes))
            return found

    finished = PlannedImport.finished

    def noted(one: PlannedImport):
        taken.append(one)
        return finished(one)

    monkeypatch.setattr(ModelAhead, "is_opening", True)
    monkeypatch.setattr(kept_model, "PlannedImport", Noted)
    monkeypatch.setattr(planned_model.PlannedImport, "finished", noted)
    made = between_products()
    path = tmp_path / "m.onnx"
    path.write_bytes(made.SerializeToString())
    m = snippets_mlir.compile(path)
    check(m, made, (512, 64))
    assert len(begun) == 1
    assert taken == begun
    assert m.kernels
