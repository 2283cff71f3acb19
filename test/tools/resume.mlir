// The first command verifies after each pass; those after it have to give the same text.
// RUN: snippets-opt %s -p snippets-to-llvm --verify-each=false -t llvm -o %t.ll
// RUN: snippets-opt %s -p snippets-to-lir,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops -o %t.marked.mlir
// RUN: filecheck %s --check-prefix=STOPPED < %t.marked.mlir
// RUN: snippets-opt %t.marked.mlir --resume --verify-each=false -t llvm -o %t.marked.ll && diff %t.ll %t.marked.ll

// A pass that may not run twice: it has run by the comment, or because the command line says so.
// RUN: snippets-opt %s --emit-stage=lir-unroll --verify-each=false -o %t.unrolled.mlir
// RUN: snippets-opt %t.unrolled.mlir --resume --verify-each=false -t llvm -o %t.unrolled.ll && diff %t.ll %t.unrolled.ll
// RUN: sed /stopped/d %t.unrolled.mlir > %t.uncommented.mlir
// RUN: snippets-opt %t.uncommented.mlir --resume-after=lir-unroll --verify-each=false -t llvm -o %t.unrolled.ll && diff %t.ll %t.unrolled.ll
// RUN: snippets-opt %s -p snippets-to-lir --verify-each=false -o %t.linear.mlir
// RUN: snippets-opt %t.linear.mlir --resume -p snippets-to-llvm --verify-each=false -t llvm -o %t.linear.ll && diff %t.ll %t.linear.ll

// A text without a target: the pass that sets it is left.
// RUN: snippets-opt %s -p snippets-tokenize -o %t.tokenized.mlir
// RUN: snippets-opt %t.tokenized.mlir --resume --verify-each=false -t llvm -o %t.tokenized.ll && diff %t.ll %t.tokenized.ll

// Text of the other levels.
// RUN: snippets-opt %s --emit-stage=all --emit-dir=%t.dir --verify-each=false -o %t.none
// RUN: snippets-opt %t.dir/graph.mlir --resume --verify-each=false -t llvm -o %t.graph.ll && diff %t.ll %t.graph.ll
// RUN: snippets-opt %t.dir/subgraph.mlir --resume --verify-each=false -t llvm -o %t.subgraph.ll && diff %t.ll %t.subgraph.ll
// RUN: snippets-opt %t.dir/lir.mlir --resume --verify-each=false -t llvm -o %t.lir.ll && diff %t.ll %t.lir.ll
// RUN: snippets-opt %t.dir/vector.mlir --resume --verify-each=false -t llvm -o %t.vector.ll && diff %t.ll %t.vector.ll
// RUN: snippets-opt %t.dir/llvm.mlir --resume --verify-each=false -t llvm -o %t.llvm.ll && diff %t.ll %t.llvm.ll

// RUN: snippets-run %t.marked.mlir --resume --verify | filecheck %s --check-prefix=CALLED
// RUN: snippets-run %t.unrolled.mlir --resume-after=lir-unroll --verify | filecheck %s --check-prefix=CALLED
// RUN: snippets-run %s -p snippets-to-llvm --verify | filecheck %s --check-prefix=CALLED

// RUN: not snippets-opt %t.marked.mlir --resume-after=lir-fuse-loop 2>&1 | filecheck %s --check-prefix=NAME
// RUN: snippets-opt %t.linear.mlir --resume -p lir-to-vector,vector-to-llvm --verify-each=false -t llvm -o %t.rest.ll && diff %t.ll %t.rest.ll
// RUN: not snippets-opt %t.linear.mlir --resume -p vector-to-llvm 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not snippets-run %S/../../docs/examples/mlp.onnx --resume 2>&1 | filecheck %s --check-prefix=ONNX

// A stage that does not exist is the error of the verifier.
// RUN: sed 's/"linear"/"liner"/' %t.linear.mlir > %t.liner.mlir
// RUN: not snippets-opt %t.liner.mlir --resume 2>&1 | filecheck %s --check-prefix=STAGE
// RUN: not snippets-run %t.liner.mlir --resume 2>&1 | filecheck %s --check-prefix=STAGE

// A kernel that the same run made has no position of its own, one in the text has.
// RUN: not snippets-opt %s -p snippets-to-lir,lir-unroll 2>&1 | filecheck %s --check-prefix=MADE
// RUN: not snippets-opt %t.linear.mlir -p lir-unroll 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: not snippets-opt %t.marked.mlir -p lir-mark-loops 2>&1 | filecheck %s --check-prefix=BACK

func.func @main(%x: tensor<3x37xf32> {snippets.name = "x"}) -> (tensor<3x1xf32> {snippets.name = "y"}) {
  %1 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<3x37xf32>) -> tensor<3x1xf32>
  func.return %1 : tensor<3x1xf32>
}

// STOPPED: lir.kernel @subgraph_0 "marked"
// STOPPED: // stopped after lir-fuse-loops
// CALLED: y: 3x1 float32 max_abs={{.*}} ok
// NAME: error: --resume-after: the pipeline has no pass 'lir-fuse-loop'{{.*}}lir-fuse-loops
// NONE: error: --resume: no pass of the pipeline leads to stage 'linear'
// ONNX: error: {{.*}}--resume: expected a .mlir file
// STAGE: mlir:{{[0-9]+}}:3: error: 'lir.kernel' op L1: in @subgraph_0: expected a stage of linear, {{.*}}, found "liner"
// MADE: resume.mlir: error: pass 'lir-unroll': expected @subgraph_0 at stage looped, found "linear"; lir-insert-loops leads there
// TEXT: mlir:{{[0-9]+}}:3: error: pass 'lir-unroll': expected @subgraph_0 at stage looped, found "linear"
// BACK: error: pass 'lir-mark-loops': expected @subgraph_0 at stage linear, found "marked"; no pass leads back; --resume runs the passes that are left
