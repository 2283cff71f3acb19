"""Passes that are plans: making a plan changes nothing, a plan is frozen, and it prints."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from lit_runner import run_test
from sampled import sampled
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.unchanged import parts_of, same_parts
from snippets_mlir.support.lazy import named

LIT = Path(__file__).resolve().parents[2] / "passes"
PASSES: dict[str, type[PlanPass[Any, Any]]] = {
    name: cls for name, row in universe.PASSES.items() if issubclass(cls := named(row), PlanPass)
}
COMMANDS = None if "SNIPPETS_FUZZ_SECONDS" in os.environ else 1
"""Commands that run of each lit test; `make fuzz` runs all."""
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}|<[\w.]+ object|\bOperation\(|\bname='")


def loose(plan: Any) -> Iterator[str]:
    """What of a plan can be changed; the ops and values that it speaks of are the program's."""
    if isinstance(plan, Operation | SSAValue):
        return
    if isinstance(plan, list | dict | set):
        yield type(plan).__name__  # pyright: ignore[reportUnknownArgumentType]
    elif isinstance(plan, tuple | frozenset):
        for part in plan:  # pyright: ignore[reportUnknownVariableType]
            yield from loose(part)
    elif isinstance(plan, Operation | SSAValue):
        return  # what the plan is about
    elif is_dataclass(plan) and not isinstance(plan, type):
        parameters: Any = getattr(type(plan), "__dataclass_params__")
        if not parameters.frozen:
            yield type(plan).__name__
        for field in fields(plan):
            yield from loose(getattr(plan, field.name))


def check(p: PlanPass[Any, Any], ctx: Context, module: ModuleOp) -> int:
    """Run the pass; each plan is made twice, and the module is compared around the first time."""
    count = 0
    for unit in p.units(module):
        before = parts_of(module)
        plan = p.plan(unit)
        assert same_parts(before, parts_of(module)), f"{p.name}: making a plan changed the module"
        assert not [*loose(plan)], f"{p.name}: {[*loose(plan)]} can be changed"
        text = str(plan)
        assert text.strip(), p.name
        assert not _ADDRESS.search(text), text
        assert str(p.plan(unit)) == text
        p.carry_out(unit, plan)
        count += 1
    return count


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", sampled(PASSES, 5))
def test_a_plan_is_pure_frozen_and_prints(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[int] = []

    def apply(p: PlanPass[Any, Any], ctx: Context, op: ModuleOp) -> None:
        if p.name != name:
            for unit in p.units(op):
                p.carry_out(unit, p.plan(unit))
            return
        explained = [*p.explained(op)]
        plans.append(check(p, ctx, op))
        assert len(explained) == plans[-1]

    monkeypatch.setattr(PlanPass, "apply", apply)
    for path in sorted(LIT.rglob(f"{name}*.mlir")):
        if re.search(rf"\b{name}\b(?!-)", path.read_text()) and "inputs" not in path.parts:
            run_test(path, only=name, most=COMMANDS)
    assert any(plans), f"no lit test of {name} makes a plan"
