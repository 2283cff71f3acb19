// RUN: snippets-opt %s --emit-stage=lir | filecheck %s --check-prefix=LIR
// RUN: snippets-opt %s --emit-stage=asm,graph,lir-mark-loops,llvm-ir | filecheck %s --check-prefix=SEVERAL
// RUN: snippets-opt %s --emit-stage=all --emit-dir=%t.dir -o %t.none
// RUN: cmp %t.none /dev/null
// RUN: snippets-opt %t.dir/subgraph.mlir | filecheck %s --check-prefix=SUBGRAPH
// RUN: snippets-opt %t.dir/vector.mlir -p vector-to-llvm -t llvm -o %t.ll
// RUN: diff %t.ll %t.dir/llvm-ir.ll
// RUN: snippets-opt %s -p snippets-to-llvm -t asm -o %t.s
// RUN: diff %t.s %t.dir/asm.s
// RUN: snippets-opt %s -p snippets-to-llvm -t obj -o %t.o
// RUN: diff %t.o %t.dir/obj.o
// RUN: snippets-opt %s --emit-stage=obj -o %t.alone.o
// RUN: diff %t.o %t.alone.o
// RUN: not snippets-opt %s --emit-stage=lirr 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not snippets-opt %s --emit-stage=lir-mark-loop 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not snippets-opt %s --emit-stage= 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not snippets-opt %s --emit-stage=obj,asm 2>&1 | filecheck %s --check-prefix=BINARY
// RUN: not snippets-opt %s -p cse --emit-stage=vector 2>&1 | filecheck %s --check-prefix=SHORT
// RUN: not snippets-opt %s -p cse --emit-stage=asm 2>&1 | filecheck %s --check-prefix=LLVM
// RUN: not snippets-opt %s --emit-dir=%t.dir 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: not snippets-opt %s --emit-stage=graph --emit-dir=%s 2>&1 | filecheck %s --check-prefix=FOLDER

// RUN: snippets-opt %s --emit-stage=program | filecheck %s --check-prefix=PROGRAM
// RUN: snippets-opt %s --emit-stage=program -o %t.program.mlir && snippets-opt %t.program.mlir -t manifest | filecheck %s --check-prefix=PLACE

// PROGRAM: program.graph @main "planned"
// PROGRAM-NEXT: program.node "subgraph_0" {{.*}} impl<"snippets", @subgraph_0> mem<output, 0> :
// PROGRAM: llvm.func @subgraph_0
// PLACE: "mem": [
// PLACE-NEXT: "output",
// LIR: lir.kernel @subgraph_0
// LIR-NOT: func.func @subgraph_0
// SUBGRAPH: snippets.subgraph
// SEVERAL: // -----// stage graph //----- //
// SEVERAL-NEXT: builtin.module {
// SEVERAL: // -----// stage lir-mark-loops //----- //
// SEVERAL: lir.kernel @subgraph_0 "marked"
// SEVERAL: ; -----// stage llvm-ir //----- ;
// SEVERAL: define void @subgraph_0(
// SEVERAL: # -----// stage asm //----- #
// SEVERAL: subgraph_0:
// UNKNOWN: error: --emit-stage: unknown stage 'lirr'; did you mean 'lir'?; stages are graph, subgraph, lir, vector, llvm, program, llvm-ir, asm, obj, all, and the passes of the pipeline
// PASS: error: --emit-stage: unknown stage 'lir-mark-loop'; did you mean 'lir-mark-loops'?
// EMPTY: error: --emit-stage: expected graph, subgraph, lir, vector, llvm, program, llvm-ir, asm, obj, all or a pass
// BINARY: error: --emit-stage: stage 'obj' is binary; use --emit-dir=DIR
// SHORT: error: --emit-stage: the pipeline does not reach stage 'vector'; it has neither convert-lir-to-vector nor convert-scf-to-cf
// LLVM: error: the module has no llvm.func; lower it first
// ALONE: error: --emit-dir needs --emit-stage; see --help
// FOLDER: emit-stage.mlir: error: cannot write it: File exists
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = snippets.abs %x : tensor<40xf32>
  func.return %0 : tensor<40xf32>
}
