"""One table of names: the class of a dialect, a pass or a target.

Rows are `name -> "module:attribute"`; nothing is imported until a name is used. `UNIVERSE` is what
the `xdsl.universe` entry point publishes, so that plain `xdsl-opt` knows the dialects that are ours
and the passes that touch only them. Dialects of upstream's that we extend are registered in our
own tools' context only (`REPLACED_DIALECTS`), because xDSL refuses two dialects of one name.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.universe import Universe

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

# In pipeline order; each row's class has the key as its `name`.
PASSES: dict[str, str] = {
    "inline-calls": "snippets_mlir.passes.graph.stablehlo.inline_calls:InlineCallsPass",
    "convert-stablehlo-to-snippets": (
        "snippets_mlir.passes.graph.stablehlo.convert_stablehlo_to_snippets"
        ":ConvertStablehloToSnippetsPass"
    ),
    "snippets-set-target": "snippets_mlir.passes.graph.snippets_set_target:SnippetsSetTargetPass",
    "snippets-mark-skipped": (
        "snippets_mlir.passes.graph.tokenize.snippets_mark_skipped:SnippetsMarkSkippedPass"
    ),
    "snippets-decompose-arg-reductions": (
        "snippets_mlir.passes.graph.decompose.snippets_decompose_arg_reductions"
        ":SnippetsDecomposeArgReductionsPass"
    ),
    "snippets-online-softmax": (
        "snippets_mlir.passes.graph.decompose.snippets_online_softmax:SnippetsOnlineSoftmaxPass"
    ),
    "snippets-extend-to-supported-types": (
        "snippets_mlir.passes.graph.canonicalize.snippets_extend_to_supported_types:"
        "SnippetsExtendToSupportedTypesPass"
    ),
    "snippets-split-reductions": (
        "snippets_mlir.passes.graph.decompose.snippets_split_reductions:SnippetsSplitReductionsPass"
    ),
    "snippets-split-products": (
        "snippets_mlir.passes.graph.decompose.snippets_split_products:SnippetsSplitProductsPass"
    ),
    "snippets-move-elementwise-up": (
        "snippets_mlir.passes.graph.canonicalize.snippets_move_elementwise_up:SnippetsMoveElementwiseUpPass"
    ),
    "snippets-pull-scales": (
        "snippets_mlir.passes.graph.canonicalize.snippets_pull_scales:SnippetsPullScalesPass"
    ),
    "snippets-reshape-first": (
        "snippets_mlir.passes.graph.canonicalize.snippets_reshape_first:SnippetsReshapeFirstPass"
    ),
    "snippets-mark-causal": (
        "snippets_mlir.passes.graph.tokenize.snippets_mark_causal:SnippetsMarkCausalPass"
    ),
    "snippets-split-keys": (
        "snippets_mlir.passes.graph.tokenize.snippets_split_keys:SnippetsSplitKeysPass"
    ),
    "snippets-tokenize-mha": (
        "snippets_mlir.passes.graph.tokenize.snippets_tokenize_mha:SnippetsTokenizeMhaPass"
    ),
    "snippets-decompose-pads": (
        "snippets_mlir.passes.graph.decompose.snippets_decompose_pads:SnippetsDecomposePadsPass"
    ),
    "snippets-sink-concats": (
        "snippets_mlir.passes.graph.canonicalize.snippets_sink_concats:SnippetsSinkConcatsPass"
    ),
    "snippets-tokenize-concats": (
        "snippets_mlir.passes.graph.tokenize.snippets_tokenize_concats:SnippetsTokenizeConcatsPass"
    ),
    "snippets-tokenize-mlp": (
        "snippets_mlir.passes.graph.tokenize.snippets_tokenize_mlp:SnippetsTokenizeMlpPass"
    ),
    "snippets-tokenize": (
        "snippets_mlir.passes.graph.tokenize.snippets_tokenize:SnippetsTokenizePass"
    ),
    "snippets-fuse-ops": (
        "snippets_mlir.passes.graph.tokenize.snippets_fuse_ops:SnippetsFuseOpsPass"
    ),
    "snippets-unwrap-uncompilable": (
        "snippets_mlir.passes.graph.tokenize.snippets_unwrap_uncompilable"
        ":SnippetsUnwrapUncompilablePass"
    ),
    "snippets-print-fusion-graph": (
        "snippets_mlir.passes.graph.tokenize.snippets_print_fusion_graph"
        ":SnippetsPrintFusionGraphPass"
    ),
    "snippets-canonicalize-layouts": (
        "snippets_mlir.passes.graph.canonicalize.snippets_canonicalize_layouts"
        ":SnippetsCanonicalizeLayoutsPass"
    ),
    "snippets-align-element-types": (
        "snippets_mlir.passes.graph.canonicalize.snippets_align_element_types"
        ":SnippetsAlignElementTypesPass"
    ),
    "snippets-decompose-softmax": (
        "snippets_mlir.passes.graph.decompose.snippets_decompose_softmax"
        ":SnippetsDecomposeSoftmaxPass"
    ),
    "snippets-decompose-norms": (
        "snippets_mlir.passes.graph.decompose.snippets_decompose_norms:SnippetsDecomposeNormsPass"
    ),
    "snippets-decompose-reductions": (
        "snippets_mlir.passes.graph.decompose.snippets_decompose_reductions"
        ":SnippetsDecomposeReductionsPass"
    ),
    "snippets-decompose-transpose": (
        "snippets_mlir.passes.graph.decompose.snippets_decompose_transpose"
        ":SnippetsDecomposeTransposePass"
    ),
    "snippets-eliminate-reshapes": (
        "snippets_mlir.passes.graph.canonicalize.snippets_eliminate_reshapes"
        ":SnippetsEliminateReshapesPass"
    ),
    "snippets-constants-to-scalars": (
        "snippets_mlir.passes.graph.canonicalize.snippets_constants_to_scalars"
        ":SnippetsConstantsToScalarsPass"
    ),
    "snippets-power-to-power-static": (
        "snippets_mlir.passes.graph.canonicalize.snippets_power_to_power_static"
        ":SnippetsPowerToPowerStaticPass"
    ),
    "snippets-relax-maxima": (
        "snippets_mlir.passes.graph.canonicalize.snippets_relax_maxima:SnippetsRelaxMaximaPass"
    ),
    "snippets-share-reciprocals": (
        "snippets_mlir.passes.graph.canonicalize.snippets_share_reciprocals"
        ":SnippetsShareReciprocalsPass"
    ),
    "snippets-broadcast-to-broadcast-move": (
        "snippets_mlir.passes.graph.canonicalize.snippets_broadcast_to_broadcast_move"
        ":SnippetsBroadcastToBroadcastMovePass"
    ),
    "snippets-propagate-precision": (
        "snippets_mlir.passes.graph.canonicalize.snippets_propagate_precision"
        ":SnippetsPropagatePrecisionPass"
    ),
    "snippets-mul-add-to-fma": (
        "snippets_mlir.passes.graph.canonicalize.snippets_mul_add_to_fma:SnippetsMulAddToFmaPass"
    ),
    "snippets-unfuse-unlowerable": (
        "snippets_mlir.passes.graph.tokenize.snippets_unfuse_unlowerable"
        ":SnippetsUnfuseUnlowerablePass"
    ),
    "convert-snippets-to-lir": (
        "snippets_mlir.passes.program.convert_snippets_to_lir:ConvertSnippetsToLirPass"
    ),
    "convert-host-to-program": (
        "snippets_mlir.passes.program.convert_host_to_program:ConvertHostToProgramPass"
    ),
    "program-trim-to-outputs": (
        "snippets_mlir.passes.program.program_trim_to_outputs:ProgramTrimToOutputsPass"
    ),
    "program-propagate-constants": (
        "snippets_mlir.passes.program.program_propagate_constants:ProgramPropagateConstantsPass"
    ),
    "program-prepare-fusing": (
        "snippets_mlir.passes.program.program_prepare_fusing:ProgramPrepareFusingPass"
    ),
    "program-fuse-primitives": (
        "snippets_mlir.passes.program.program_fuse_primitives:ProgramFusePrimitivesPass"
    ),
    "program-order": "snippets_mlir.passes.program.program_order:ProgramOrderPass",
    "program-select-implementations": (
        "snippets_mlir.passes.program.program_select_implementations"
        ":ProgramSelectImplementationsPass"
    ),
    "program-lower-implementations": (
        "snippets_mlir.passes.program.program_lower_implementations:ProgramLowerImplementationsPass"
    ),
    "program-memory-dependencies": (
        "snippets_mlir.passes.program.program_memory_dependencies:ProgramMemoryDependenciesPass"
    ),
    "program-plan-memory": (
        "snippets_mlir.passes.program.program_plan_memory:ProgramPlanMemoryPass"
    ),
    "program-schedule": "snippets_mlir.passes.program.program_schedule:ProgramSchedulePass",
    "program-print-memory": (
        "snippets_mlir.passes.program.program_print_memory:ProgramPrintMemoryPass"
    ),
    "lir-propagate-layout": "snippets_mlir.passes.lir.lir_propagate_layout:LirPropagateLayoutPass",
    "lir-optimize-domain": "snippets_mlir.passes.lir.lir_optimize_domain:LirOptimizeDomainPass",
    "lir-mark-loops": "snippets_mlir.passes.lir.lir_mark_loops:LirMarkLoopsPass",
    "lir-reduce-decomposition": (
        "snippets_mlir.passes.lir.lir_reduce_decomposition:LirReduceDecompositionPass"
    ),
    "lir-fuse-loops": "snippets_mlir.passes.lir.lir_fuse_loops:LirFuseLoopsPass",
    "lir-split-loops": "snippets_mlir.passes.lir.lir_split_loops:LirSplitLoopsPass",
    "lir-extract-loop-invariants": (
        "snippets_mlir.passes.lir.lir_extract_loop_invariants:LirExtractLoopInvariantsPass"
    ),
    "lir-brgemm-blocking": "snippets_mlir.passes.lir.lir_brgemm_blocking:LirBrgemmBlockingPass",
    "lir-brgemm-pack-constants": (
        "snippets_mlir.passes.lir.lir_brgemm_pack_constants:LirBrgemmPackConstantsPass"
    ),
    "lir-brgemm-copy-b": "snippets_mlir.passes.lir.lir_brgemm_copy_b:LirBrgemmCopyBPass",
    "lir-brgemm-row-blocks": (
        "snippets_mlir.passes.lir.lir_brgemm_row_blocks:LirBrgemmRowBlocksPass"
    ),
    "lir-brgemm-split-epilogue": (
        "snippets_mlir.passes.lir.lir_brgemm_split_epilogue:LirBrgemmSplitEpiloguePass"
    ),
    "lir-rematerialize": "snippets_mlir.passes.lir.lir_rematerialize:LirRematerializePass",
    "lir-move-result-out-of-loop": (
        "snippets_mlir.passes.lir.lir_move_result_out_of_loop:LirMoveResultOutOfLoopPass"
    ),
    "lir-insert-buffers": "snippets_mlir.passes.lir.lir_insert_buffers:LirInsertBuffersPass",
    "lir-insert-load-store": (
        "snippets_mlir.passes.lir.lir_insert_load_store:LirInsertLoadStorePass"
    ),
    "lir-move-scalar-to-consumer": (
        "snippets_mlir.passes.lir.lir_move_scalar_to_consumer:LirMoveScalarToConsumerPass"
    ),
    "lir-insert-broadcast-move": (
        "snippets_mlir.passes.lir.lir_insert_broadcast_move:LirInsertBroadcastMovePass"
    ),
    "lir-load-move-broadcast-to-broadcast-load": (
        "snippets_mlir.passes.lir.lir_load_move_broadcast_to_broadcast_load"
        ":LirLoadMoveBroadcastToBroadcastLoadPass"
    ),
    "lir-validate-shapes": "snippets_mlir.passes.lir.lir_validate_shapes:LirValidateShapesPass",
    "lir-validate-unified-loops": (
        "snippets_mlir.passes.lir.lir_validate_unified_loops:LirValidateUnifiedLoopsPass"
    ),
    "lir-stream-stores": "snippets_mlir.passes.lir.lir_stream_stores:LirStreamStoresPass",
    "lir-init-loops": "snippets_mlir.passes.lir.lir_init_loops:LirInitLoopsPass",
    "lir-insert-loops": "snippets_mlir.passes.lir.lir_insert_loops:LirInsertLoopsPass",
    "lir-place-buffers-in-outputs": (
        "snippets_mlir.passes.lir.lir_place_buffers_in_outputs:LirPlaceBuffersInOutputsPass"
    ),
    "lir-compute-buffer-allocation-size": (
        "snippets_mlir.passes.lir.lir_compute_buffer_allocation_size"
        ":LirComputeBufferAllocationSizePass"
    ),
    "lir-set-buffer-reg-group": (
        "snippets_mlir.passes.lir.lir_set_buffer_reg_group:LirSetBufferRegGroupPass"
    ),
    "lir-define-buffer-clusters": (
        "snippets_mlir.passes.lir.lir_define_buffer_clusters:LirDefineBufferClustersPass"
    ),
    "lir-solve-buffer-memory": (
        "snippets_mlir.passes.lir.lir_solve_buffer_memory:LirSolveBufferMemoryPass"
    ),
    "lir-allocate-buffers": "snippets_mlir.passes.lir.lir_allocate_buffers:LirAllocateBuffersPass",
    "lir-clean-repeated-data-pointer-shifts": (
        "snippets_mlir.passes.lir.lir_clean_repeated_data_pointer_shifts"
        ":LirCleanRepeatedDataPointerShiftsPass"
    ),
    "lir-validate-buffers": "snippets_mlir.passes.lir.lir_validate_buffers:LirValidateBuffersPass",
    "lir-print-buffers": "snippets_mlir.passes.lir.lir_print_buffers:LirPrintBuffersPass",
    "lir-expand-math": "snippets_mlir.passes.lir.lir_expand_math:LirExpandMathPass",
    "lir-jam-loops": "snippets_mlir.passes.lir.lir_jam_loops:LirJamLoopsPass",
    "lir-unroll": "snippets_mlir.passes.lir.lir_unroll:LirUnrollPass",
    "lir-init-live-ranges": "snippets_mlir.passes.lir.lir_init_live_ranges:LirInitLiveRangesPass",
    "lir-assign-registers": "snippets_mlir.passes.lir.lir_assign_registers:LirAssignRegistersPass",
    "lir-insert-reg-spills": (
        "snippets_mlir.passes.lir.lir_insert_reg_spills:LirInsertRegSpillsPass"
    ),
    "lir-insert-specific-iterations": (
        "snippets_mlir.passes.lir.lir_insert_specific_iterations:LirInsertSpecificIterationsPass"
    ),
    "lir-normalize-loop-ids": (
        "snippets_mlir.passes.lir.lir_normalize_loop_ids:LirNormalizeLoopIdsPass"
    ),
    "lir-validate-expanded-loops": (
        "snippets_mlir.passes.lir.lir_validate_expanded_loops:LirValidateExpandedLoopsPass"
    ),
    "lir-cleanup-loop-offsets": (
        "snippets_mlir.passes.lir.lir_cleanup_loop_offsets:LirCleanupLoopOffsetsPass"
    ),
    "lir-optimize-loop-single-evaluation": (
        "snippets_mlir.passes.lir.lir_optimize_loop_single_evaluation"
        ":LirOptimizeLoopSingleEvaluationPass"
    ),
    "affine-loop-fusion": (
        "snippets_mlir.passes.loops.affine.affine_loop_fusion:AffineLoopFusionPass"
    ),
    "affine-scalrep": "snippets_mlir.passes.loops.affine.affine_scalrep:AffineScalrepPass",
    "affine-parallelize": (
        "snippets_mlir.passes.loops.affine.affine_parallelize:AffineParallelizePass"
    ),
    "affine-loop-peeling": (
        "snippets_mlir.passes.loops.affine.affine_loop_peeling:AffineLoopPeelingPass"
    ),
    "affine-super-vectorize": (
        "snippets_mlir.passes.loops.affine.affine_super_vectorize:AffineSuperVectorizePass"
    ),
    "lir-insert-perf-count": (
        "snippets_mlir.passes.lir.lir_insert_perf_count:LirInsertPerfCountPass"
    ),
    "lir-insert-segfault-detector": (
        "snippets_mlir.passes.lir.lir_insert_segfault_detector:LirInsertSegfaultDetectorPass"
    ),
    "lir-debug-print": "snippets_mlir.passes.lir.debug.lir_debug_print:LirDebugPrintPass",
    "lir-serialize-control-flow": (
        "snippets_mlir.passes.lir.debug.lir_serialize_control_flow:LirSerializeControlFlowPass"
    ),
    "lir-draw-registers": (
        "snippets_mlir.passes.lir.debug.lir_draw_registers:LirDrawRegistersPass"
    ),
    "lir-serialize-data-flow": (
        "snippets_mlir.passes.lir.debug.lir_serialize_data_flow:LirSerializeDataFlowPass"
    ),
    "convert-lir-to-vector": (
        "snippets_mlir.passes.lir_to_vector.convert_lir_to_vector:ConvertLirToVectorPass"
    ),
    "align-nontemporal-stores": (
        "snippets_mlir.passes.lir_to_vector.align_nontemporal_stores:AlignNontemporalStoresPass"
    ),
    "prefetch-panels": "snippets_mlir.passes.lir_to_vector.prefetch_panels:PrefetchPanelsPass",
    "prefetch-rows": "snippets_mlir.passes.lir_to_vector.prefetch_rows:PrefetchRowsPass",
    "lower-affine": "snippets_mlir.passes.loops.affine.lower_affine:LowerAffinePass",
    "memref-expand": "snippets_mlir.passes.loops.memref_expand:MemRefExpandPass",
    "outline-parallel-loops": (
        "snippets_mlir.passes.loops.parallel.outline_parallel_loops:OutlineParallelLoopsPass"
    ),
    "convert-vector-to-scf": (
        "snippets_mlir.passes.loops.vectors.convert_vector_to_scf:ConvertVectorToScfPass"
    ),
    "convert-scf-to-cf": "snippets_mlir.passes.vector_to_llvm.convert_scf_to_cf:ConvertScfToCfPass",
    "vector-unroll": "snippets_mlir.passes.loops.vectors.vector_unroll:VectorUnrollPass",
    "math-expand-ops": "snippets_mlir.passes.loops.math_expand_ops:MathExpandOpsPass",
    "lower-vector-transfers": (
        "snippets_mlir.passes.loops.vectors.lower_vector_transfers:LowerVectorTransfersPass"
    ),
    "convert-vector-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_vector_to_llvm:ConvertVectorToLLVMPass"
    ),
    "convert-math-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_math_to_llvm:ConvertMathToLLVMPass"
    ),
    "convert-index-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_index_to_llvm:ConvertIndexToLLVMPass"
    ),
    "convert-arith-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm:ConvertArithToLLVMPass"
    ),
    "finalize-memref-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.finalize_memref_to_llvm:FinalizeMemRefToLLVMPass"
    ),
    "convert-ub-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_ub_to_llvm:ConvertUBToLLVMPass"
    ),
    "convert-cf-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_cf_to_llvm:ConvertCfToLLVMPass"
    ),
    "llvm-request-c-wrappers": (
        "snippets_mlir.passes.vector_to_llvm.llvm_request_c_wrappers:LLVMRequestCWrappersPass"
    ),
    "convert-func-to-llvm": (
        "snippets_mlir.passes.vector_to_llvm.convert_func_to_llvm:ConvertFuncToLLVMPass"
    ),
    "llvm-constants-to-memory": (
        "snippets_mlir.passes.vector_to_llvm.llvm_constants_to_memory:LLVMConstantsToMemoryPass"
    ),
}

# Passes of upstream's of which we know that they only change the module.
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

# Passes of upstream's that ours of the same name stand in for; never published.
REPLACED_PASSES: frozenset[str] = frozenset({"convert-scf-to-cf", "lower-affine"})

TARGETS: dict[str, str] = {
    "llvm": "snippets_mlir.emit.llvm_text:LLVMTextTarget",
}


def load(row: str) -> Any:
    """Import what a row names."""
    module, _, attribute = row.partition(":")
    return getattr(import_module(module), attribute)


def _lazy(row: str) -> Callable[[], Any]:
    return lambda: load(row)


def factories(table: dict[str, str]) -> dict[str, Callable[[], Any]]:
    """`name -> factory`, the form in which xDSL registers things."""
    return {name: _lazy(row) for name, row in table.items()}


UNIVERSE = Universe(
    all_dialects=factories(DIALECTS),
    all_passes={n: _lazy(r) for n, r in PASSES.items() if n not in UNPUBLISHED_PASSES},
)
