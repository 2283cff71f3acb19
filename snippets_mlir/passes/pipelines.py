"""The named pipelines: the passes in order, one line per pass.

If the order matters, the line has the reason.
"""

SNIPPETS_TO_LIR = (
    "snippets-set-target",
    "snippets-extend-to-supported-types",  # first: decompositions compute in these types
    "snippets-decompose-arg-reductions",  # before: its iotas become constants
    "snippets-decompose-cumulative",  # before: its slices and joins become parts of kernels
    "snippets-decompose-pads",  # before: concats of concats become one
    "canonicalize",
    "snippets-unwrap-uncompilable",  # before: the tokenizer takes the remaining ops
    "snippets-group-heads",  # before: elementwise ops move before its reshapes of products
    "snippets-move-elementwise-up",  # before: products take the ops after them into their kernels
    "snippets-pull-scales",  # before: reshapes left between transposes and products stay there
    "snippets-batch-heads",  # after: scales are before reshapes; before: its reshapes of keys are
    "snippets-slice-first",  # after: a scale may be between a slice and its product
    "snippets-reshape-first",  # after: a scale may be between a transpose and its product
    "snippets-turn-products",  # after: no reshape is between a softmax and its product
    "snippets-gather-first",  # nothing before or after depends on it
    "snippets-mark-causal",  # before: masks are constants of the graph
    "snippets-split-keys",  # before: it makes kernels of ops that are refused here
    "snippets-tokenize-mha",  # before: softmaxes between products are no kernels of their own
    "snippets-tokenize-mlp",  # before: each product would take the ops after it into its kernel
    "snippets-online-softmax",  # before: its parts are kernels of their own
    "snippets-split-reductions",  # before: the two parts are two kernels
    "snippets-split-products",  # before: the same
    "snippets-sink-concats",  # before: readers of a concat are computed in its kernel
    "snippets-tokenize-concats",  # before: ops that compute their parts are in their kernels
    "snippets-tokenize",
    "snippets-repeat-rows",  # after: both products are inside
    "snippets-decompose-softmax",
    "snippets-decompose-norms",
    "snippets-decompose-reductions",  # after: norms are made of means
    "snippets-decompose-transpose",
    "snippets-eliminate-reshapes",  # after: it takes transposes on inputs along
    "canonicalize",  # simplifies results of the decompositions, and
    "cse",  # values that they compute twice
    "snippets-constants-to-scalars",  # kernels hold no other constants
    "snippets-power-to-power-static",  # after: it looks for scalar exponents
    "snippets-relax-maxima",  # before: it looks for quotients
    "snippets-share-reciprocals",  # after: whole subgraphs, before their broadcasts are moves
    "snippets-sink-reciprocals",  # after: it looks for reciprocals
    "snippets-broadcast-to-broadcast-move",
    "snippets-propagate-precision",
    "snippets-unfuse-unlowerable",  # ops that the passes before could not rewrite
    "convert-snippets-to-lir",
)

LIR_TO_VECTOR = (
    "lir-optimize-domain",  # first: every later pass depends on the ports' shapes
    "lir-mark-loops",
    "lir-reduce-decomposition",  # before: readers of a sum must not run in the sum's loop
    "lir-fuse-loops",
    "lir-split-loops",  # after: a block holds all ops that were fused into the loop
    "lir-extract-loop-invariants",  # before: values in no loop need no memory to cross one
    "lir-brgemm-row-blocks",  # before: a product alone in its rows can have a tile
    "lir-brgemm-blocking",  # after: loops are fused; before: buffers live in them
    "lir-brgemm-whole-tiles",  # after: the tiles are known
    "lir-brgemm-pack-constants",  # after: loops are fused; before: packed operands are not copied
    "lir-brgemm-left-blocks",  # after: panels are packed; before: epilogues follow blocks
    "lir-brgemm-part-sums",  # after: panels are packed; before: copies are of their parts
    "lir-brgemm-copy-b",  # after: panels are as wide as the tile; before: they need buffers
    "lir-brgemm-split-epilogue",  # before: the divided sums need buffers
    "lir-copy-transposed",  # before: copies need buffers, and are not made again
    "lir-rematerialize",  # before: recomputed values need no memory
    "lir-move-result-out-of-loop",
    "lir-brgemm-sum-blocks",  # after: copied or packed operands are not read in place
    "lir-insert-buffers",
    "lir-insert-load-store",
    "lir-insert-broadcast-move",
    "lir-load-move-broadcast-to-broadcast-load",
    "lir-stream-stores",
    "lir-init-loops",  # after the accesses are final: it fills their ports
    "lir-insert-loops",
    "lir-place-buffers-in-outputs",  # before: the other buffers get the scratchpad
    "lir-allocate-buffers",
    "lir-clean-repeated-data-pointer-shifts",  # after: buffers of one group share a pointer
    "lir-brgemm-few-rows",  # after: buffers are allocated; before: its tiles are jammed, too
    "lir-expand-math",
    "lir-jam-loops",  # after: bodies are as long as they will be
    "lir-unroll",  # after: bodies are as long as they will be
    "lir-init-live-ranges",  # after: on code that is final
    "lir-assign-registers",
    "lir-insert-reg-spills",
    "lir-insert-specific-iterations",  # last: a tail copies the final body
    "convert-lir-to-vector",
    "align-nontemporal-stores",
    "prefetch-panels",
    "prefetch-packed-panels",
    "prefetch-tiles",
    "prefetch-rows",  # after: it knows which stores stay plain
    "unroll-terms",
    "sink-rare-operands",  # last: the passes before look for loops without branches
)

VECTOR_TO_LLVM = (
    "convert-scf-to-cf",
    "convert-vector-to-llvm",
    "convert-math-to-llvm",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",  # after: it takes the converted bodies over
    "llvm-constants-to-memory",  # last: all readers of a constant are instructions
)

AFFINE_TO_LLVM = (
    "lower-affine",
    "memref-expand",  # its copies are loops of scf
    "outline-parallel-loops",  # before: they would become loops of one thread
    "convert-vector-to-scf",  # after: threads do not share buffers; before: it makes loops
    "convert-scf-to-cf",
    "vector-unroll",  # on blocks: no loop carries a split vector
    "math-expand-ops",  # after: one expansion a vector of the target
    "lower-vector-transfers",  # of vectors of rank 1
    "convert-vector-to-llvm",
    "finalize-memref-to-llvm",
    "convert-math-to-llvm",
    "convert-index-to-llvm",
    "convert-arith-to-llvm",
    "convert-ub-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",  # last: it takes the converted bodies over
)

PROGRAM_TO_LLVM = (
    "snippets-set-target",
    "program-trim-to-outputs",
    "program-propagate-constants",
    "program-prepare-fusing",  # before: nodes on both sides of a view become one
    "program-fuse-primitives",  # after: constants are no nodes
    "program-select-implementations",
    "program-lower-implementations",  # the passes below take its subgraphs
    *SNIPPETS_TO_LIR[SNIPPETS_TO_LIR.index("snippets-tokenize") + 1 :],
    *LIR_TO_VECTOR,
    *VECTOR_TO_LLVM,
)

PIPELINES: dict[str, str] = {
    "snippets-to-lir": ",".join(SNIPPETS_TO_LIR),
    "lir-to-vector": ",".join(LIR_TO_VECTOR),
    "vector-to-llvm": ",".join(VECTOR_TO_LLVM),
    "affine-to-llvm": ",".join(AFFINE_TO_LLVM),
    "program-to-llvm": ",".join(PROGRAM_TO_LLVM),
    "snippets-to-llvm": ",".join(SNIPPETS_TO_LIR + LIR_TO_VECTOR + VECTOR_TO_LLVM),
}
