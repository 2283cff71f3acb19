"""Kernels that are lowered one by one are those that are lowered together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.driver.reports.kernel_facts import LOOPS_ARE_FINAL, facts_of
from snippets_mlir.driver.settings import default_context
from snippets_mlir.driver.workers.batches import cut
from snippets_mlir.driver.workers.lowering import lowered, module_with
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.inspect.opt import with_symbols
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.attribute_names import KERNEL
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import with_aliases
from snippets_mlir.testing.graph_generator import generate

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"
NAMES = ("attention", "dynamic", "group_norm", "integers", "layer_norm", "product", "two_outputs")
TEXTS = {name: (EXAMPLES / f"{name}.mlir").read_text() for name in NAMES} | {
    f"seed {seed}": generate(seed, 12).text for seed in (1, 2, 3)
}


def functions(text: str) -> list[str]:
    """The functions of LLVM text, whatever numbers its constants have."""
    numbered = re.sub(r"@constant_\d+", "@constant", text)
    return sorted(re.findall(r"^define .*?^}", numbered, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize(
    ("source", "target"),
    sampled([(name, t) for name in TEXTS for t in ("x86-64-avx2", "x86-64-avx512")], 5),
)
def test_kernels_apart_are_those_of_the_whole_module(source: str, target: str) -> None:
    ctx = default_context()
    passes = f"snippets-set-target{{target={target} threads=2}},snippets-to-llvm"
    together, apart = cut(parse_pipeline(passes, ctx))
    module = with_symbols(parse_module(TEXTS[source], ctx))
    run_passes(module, ctx, together)
    copy = module.clone()
    facts: dict[str, object] = {}

    def before(next_pass: ModulePass, module: ModuleOp) -> None:
        if next_pass.name in LOOPS_ARE_FINAL and not facts:
            facts.update(facts_of(module))

    run_passes(module, ctx, apart, before=before)
    whole = functions(emit_llvm(module))
    parts: list[KernelOp] = kernels_of(copy)
    found: list[str] = []
    for kernel in parts:
        sent = parse_module(with_aliases(ModuleOp([kernel.clone()], dict(copy.attributes))), ctx)
        part = module_with([kernel], copy)
        symbol = kernel.sym_name.data
        made, code = lowered(part, ctx, apart)
        assert lowered(sent, ctx, apart) == (made, code)
        assert made == {symbol: facts[symbol]}
        assert sent.is_structurally_equivalent(part)
        found += functions(code)
        (declaration,) = part.ops
        (original,) = (op for op in module.ops if KERNEL in op.attributes and name(op) == symbol)
        assert declaration.attributes == original.attributes
        assert not declaration.regions[0].blocks
    assert sorted(found) == whole
    assert len(whole) >= len(parts) >= 1


def name(op: Operation) -> str:
    """The symbol of a function."""
    symbol = op.properties["sym_name"]
    assert isinstance(symbol, StringAttr)
    return symbol.data
