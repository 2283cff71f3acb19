"""Every row of the table of names leads to what it names."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.exceptions import AlreadyRegisteredConstructException

from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context, rehome
from snippets_mlir.passmanager.pipeline import parse_pipeline, spell
from snippets_mlir.support.lazy import named
from snippets_mlir.support.parsing import parse_module


@pytest.mark.parametrize("name", [*universe.DIALECTS, *universe.REPLACED_DIALECTS])
def test_dialect_row(name: str):
    dialect = named({**universe.DIALECTS, **universe.REPLACED_DIALECTS}[name])
    assert isinstance(dialect, Dialect)
    assert dialect.name == name


@pytest.mark.parametrize("name", universe.PASSES)
def test_pass_row(name: str):
    cls = named(universe.PASSES[name])
    assert issubclass(cls, ModulePass)
    assert cls.name == name


def test_loaded_classes_are_types_and_attributes_as_in_upstreams_context() -> None:
    ours, upstream = make_context(), Context()
    for name in ("builtin", "llvm", "lir", "snippets"):
        dialect = ours.get_dialect(name)
        upstream.load_dialect(dialect)
    assert {*ours.loaded_types} >= {*upstream.loaded_types} > {IntegerType}
    assert {*ours.loaded_attrs} >= {*upstream.loaded_attrs} > {IntegerAttr}
    assert not {*ours.loaded_types} & {*ours.loaded_attrs}


def test_a_class_that_is_loaded_already_is_refused_as_upstream_does() -> None:
    ctx = make_context()
    ctx.load_registered_dialect("builtin")
    for cls, kind in ((IntegerType, "Type"), (IntegerAttr, "Attribute")):
        with pytest.raises(AlreadyRegisteredConstructException, match=f"{kind} .* already"):
            ctx.load_attr_or_type(cls)


def test_unpublished_passes_exist():
    assert set(universe.PASSES) >= universe.UNPUBLISHED_PASSES


def test_the_passes_that_hide_upstream_ones_are_not_published():
    from xdsl.transforms import get_all_passes

    hidden = set(universe.PASSES) & set(get_all_passes())
    assert hidden == {"convert-scf-to-cf", "lower-affine"}
    assert hidden <= universe.UNPUBLISHED_PASSES


def test_published_dialects_do_not_clash():
    multiverse = Universe.get_multiverse()
    assert set(universe.DIALECTS) <= set(multiverse.all_dialects)


@pytest.mark.parametrize("name", PIPELINES)
def test_pipeline_parses_and_prints(name: str):
    ctx = make_context()
    passes = parse_pipeline(name, ctx)
    assert passes
    assert parse_pipeline(spell(passes), ctx) == passes


def test_ops_of_upstream_passes_get_our_classes():
    ctx = make_context()
    from xdsl.dialects.vector import BroadcastOp as UpstreamBroadcast

    module = parse_module(
        "func.func @f(%x: f32) -> vector<4xf32> {\n"
        "  %0 = vector.broadcast %x : f32 to vector<4xf32>\n"
        "  func.return %0 : vector<4xf32>\n}",
        ctx,
    )
    ours = ctx.get_op("vector.broadcast")
    op = next(op for op in module.walk() if op.name == "vector.broadcast")
    assert type(op) is ours
    if ours is UpstreamBroadcast:
        assert rehome(module, ctx) == 0
        return
    stranger = UpstreamBroadcast.create(operands=op.operands, result_types=[op.results[0].type])
    from xdsl.rewriter import Rewriter

    stranger.location = op.location
    Rewriter.replace_op(op, stranger)
    assert rehome(module, ctx) == 1
    found = next(op for op in module.walk() if op.name == "vector.broadcast")
    assert type(found) is ours
    assert found.location == stranger.location
