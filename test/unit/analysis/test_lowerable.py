"""Ops that kernels hold only after a pass took them apart name that pass."""

from __future__ import annotations

import pytest

from snippets_mlir.analysis.graph.lowerable import is_core
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import records
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.driver.settings import default_context
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.passmanager.pipeline import passes_of

EXAMPLES = [
    record
    for record in records()
    if issubclass(record.op, WholeTensorOp)
    and not record.op.WITHOUT_KERNEL
    and not is_core(record.op.__new__(record.op))
]


@pytest.mark.parametrize("record", EXAMPLES, ids=lambda record: record.name)
def test_the_pass_takes_the_op_apart(record: OpRecord) -> None:
    assert issubclass(record.op, WholeTensorOp)
    named = passes_of(default_context())[record.op.DECOMPOSED_BY]()
    assert issubclass(named, PatternPass)
    assert any(issubclass(record.op, pattern.ops) for pattern in named.PATTERNS)
