"""One table from names to the classes of dialects, passes and targets.

Rows are `name -> "module:attribute"`; a module is imported when its name is used. The
`xdsl.universe` entry point publishes `UNIVERSE`, so that plain `xdsl-opt` knows our own dialects
and the passes that touch only them. Upstream dialects that we extend are registered only in the
context of our tools (`REPLACED_DIALECTS`), because xDSL refuses two dialects of one name.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from xdsl.universe import Universe

from snippets_mlir.support.lazy import named

DIALECTS = {
    "chlo": "snippets_mlir.dialects.stablehlo:Chlo",
    "index": "snippets_mlir.dialects.index:Index",
    "lir": "snippets_mlir.dialects.lir:Lir",
    "onnx": "snippets_mlir.dialects.onnx:Onnx",
    "program": "snippets_mlir.dialects.program:Program",
    "snippets": "snippets_mlir.dialects.snippets:Snippets",
    "stablehlo": "snippets_mlir.dialects.stablehlo:StableHLO",
}

REPLACED_DIALECTS: dict[str, str] = {
    "affine": "snippets_mlir.dialects.affine:Affine",
    "arith": "snippets_mlir.dialects.arith:Arith",
    "llvm": "snippets_mlir.dialects.llvm:LLVM",
    "math": "snippets_mlir.dialects.math:Math",
    "memref": "snippets_mlir.dialects.memref:MemRef",
    "scf": "snippets_mlir.dialects.scf:Scf",
    "vector": "snippets_mlir.dialects.vector:Vector",
}

_PASSES = """
graph.stablehlo      inline-calls unroll-stablehlo-while convert-stablehlo-to-snippets
graph                snippets-set-target
graph.tokenize       snippets-mark-skipped
graph.decompose      snippets-decompose-arg-reductions snippets-online-softmax
graph.canonicalize   snippets-extend-to-supported-types
graph.decompose      snippets-split-reductions snippets-split-products
graph.canonicalize   snippets-move-elementwise-up snippets-pull-scales snippets-reshape-first
graph.canonicalize   snippets-group-heads snippets-slice-first
graph.canonicalize   snippets-turn-products snippets-batch-heads snippets-gather-first
graph.tokenize       snippets-mark-causal snippets-split-keys snippets-tokenize-mha
graph.decompose      snippets-decompose-cumulative snippets-decompose-pads
graph.canonicalize   snippets-sink-concats
graph.tokenize       snippets-tokenize-concats snippets-tokenize-mlp snippets-tokenize
graph.tokenize       snippets-fuse-ops snippets-unwrap-uncompilable snippets-print-fusion-graph
graph.canonicalize   snippets-canonicalize-layouts snippets-align-element-types
graph.canonicalize   snippets-repeat-rows
graph.decompose      snippets-decompose-softmax snippets-decompose-norms
graph.decompose      snippets-decompose-reductions snippets-decompose-transpose
graph.canonicalize   snippets-eliminate-reshapes snippets-constants-to-scalars
graph.canonicalize   snippets-power-to-power-static snippets-relax-maxima
graph.canonicalize   snippets-share-reciprocals snippets-sink-reciprocals
graph.canonicalize   snippets-broadcast-to-broadcast-move
graph.canonicalize   snippets-propagate-precision snippets-mul-add-to-fma
graph.tokenize       snippets-unfuse-unlowerable
program              convert-snippets-to-lir convert-host-to-program program-trim-to-outputs
program              program-propagate-constants program-prepare-fusing program-fuse-primitives
program              program-order program-select-implementations program-lower-implementations
program              program-memory-dependencies program-plan-memory program-schedule
program              program-print-memory convert-program-to-manifest
lir                  lir-propagate-layout lir-optimize-domain lir-mark-loops
lir                  lir-reduce-decomposition lir-fuse-loops lir-split-loops
lir                  lir-extract-loop-invariants lir-brgemm-blocking lir-brgemm-pack-constants
lir                  lir-brgemm-copy-b lir-brgemm-row-blocks lir-brgemm-split-epilogue
lir                  lir-brgemm-sum-blocks lir-brgemm-left-blocks lir-brgemm-part-sums
lir                  lir-brgemm-whole-tiles lir-copy-transposed lir-rematerialize
lir                  lir-move-result-out-of-loop lir-insert-buffers
lir                  lir-insert-load-store lir-move-scalar-to-consumer lir-insert-broadcast-move
lir                  lir-load-move-broadcast-to-broadcast-load lir-validate-shapes
lir                  lir-validate-unified-loops lir-stream-stores lir-init-loops lir-insert-loops
lir                  lir-place-buffers-in-outputs lir-compute-buffer-allocation-size
lir                  lir-set-buffer-reg-group lir-define-buffer-clusters lir-solve-buffer-memory
lir                  lir-allocate-buffers lir-clean-repeated-data-pointer-shifts
lir                  lir-validate-buffers lir-print-buffers lir-brgemm-few-rows
lir                  lir-expand-math lir-jam-loops
lir                  lir-unroll lir-init-live-ranges lir-assign-registers lir-insert-reg-spills
lir                  lir-insert-specific-iterations lir-normalize-loop-ids
lir                  lir-validate-expanded-loops lir-cleanup-loop-offsets
lir                  lir-optimize-loop-single-evaluation
loops.affine         affine-loop-fusion affine-scalrep affine-parallelize affine-loop-peeling
loops.affine         affine-super-vectorize
lir                  lir-insert-perf-count lir-insert-segfault-detector
lir.debug            lir-debug-print lir-serialize-control-flow lir-draw-registers
lir.debug            lir-serialize-data-flow
lir_to_vector        convert-lir-to-vector align-nontemporal-stores prefetch-panels prefetch-tiles
lir_to_vector        prefetch-packed-panels prefetch-rows unroll-terms sink-rare-operands
loops.affine         lower-affine
loops                memref-expand
loops.parallel       outline-parallel-loops
loops.vectors        convert-vector-to-scf
vector_to_llvm       convert-scf-to-cf
loops.vectors        vector-unroll
loops                math-expand-ops
loops.vectors        lower-vector-transfers
vector_to_llvm       convert-vector-to-llvm convert-math-to-llvm convert-index-to-llvm
vector_to_llvm       convert-arith-to-llvm finalize-memref-to-llvm convert-ub-to-llvm
vector_to_llvm       convert-cf-to-llvm llvm-request-c-wrappers convert-func-to-llvm
vector_to_llvm       llvm-constants-to-memory
"""
"""In pipeline order: a package below `passes`, then its passes that come next."""

_SPELLED = {"llvm": "LLVM", "memref": "MemRef", "ub": "UB"}
"""Words in class names with an irregular capitalization."""


def _row(package: str, name: str) -> str:
    """A pass is in the module of its name: `lir-unroll` is `lir_unroll:LirUnrollPass`."""
    words = (_SPELLED.get(word, word.capitalize()) for word in name.split("-"))
    return f"snippets_mlir.passes.{package}.{name.replace('-', '_')}:{''.join(words)}Pass"


PASSES: dict[str, str] = {
    name: _row(package, name)
    for package, *names in map(str.split, _PASSES.strip().splitlines())
    for name in names
}

FASTER_PASSES: dict[str, str] = {
    "canonicalize": (
        "snippets_mlir.passes.graph.canonicalize.upstream_canonicalize:CanonicalizePass"
    ),
}
"""Faster versions of upstream's passes, only in our own tools' context."""

# Upstream's passes that are known to only change the module.
PURE: frozenset[str] = frozenset(
    {"canonicalize", "cse", "dce", "licm", "reconcile-unrealized-casts"}
)

# Passes that only make sense after a lowering to the replaced dialects.
UNPUBLISHED_PASSES: frozenset[str] = frozenset(
    {
        "convert-arith-to-llvm",
        "convert-cf-to-llvm",
        "convert-func-to-llvm",
        "convert-index-to-llvm",
        "convert-math-to-llvm",
        "convert-scf-to-cf",
        "convert-ub-to-llvm",
        "convert-vector-to-llvm",
        "convert-vector-to-scf",
        "finalize-memref-to-llvm",
        "llvm-constants-to-memory",
        "llvm-request-c-wrappers",
        "lower-affine",
        "lower-vector-transfers",
        "math-expand-ops",
        "memref-expand",
        "outline-parallel-loops",
        "vector-unroll",
    }
)

TARGETS: dict[str, str] = {
    "llvm": "snippets_mlir.emit.llvm_text:LLVMTextTarget",
}


def factories(table: dict[str, str]) -> dict[str, Callable[[], Any]]:
    """`name -> factory`, the form in which xDSL registers things."""
    return {name: partial(named, row) for name, row in table.items()}


UNIVERSE = Universe(
    all_dialects=factories(DIALECTS),
    all_passes={n: partial(named, r) for n, r in PASSES.items() if n not in UNPUBLISHED_PASSES},
)
