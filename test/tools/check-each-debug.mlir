// RUN: snippets-opt %s -p snippets-to-llvm --insert-pass='before:lir-expand-math:lir-insert-perf-count{at=expressions}' --insert-pass=before:convert-lir-to-vector:lir-insert-segfault-detector --check-each | filecheck %s
// RUN: snippets-opt %s -p snippets-to-llvm --insert-pass='before:lir-expand-math:lir-insert-perf-count{at=loops clock=rdtsc}' --insert-pass=before:convert-lir-to-vector:lir-insert-segfault-detector -t llvm -o %t.ll
// RUN: snippets-opt %s -p snippets-to-llvm --insert-pass='before:lir-expand-math:lir-insert-perf-count{at=loops clock=rdtsc}' --insert-pass=before:convert-lir-to-vector:lir-insert-segfault-detector --emit-stage=lir -o %t.mlir
// RUN: snippets-opt %t.mlir -p convert-lir-to-vector,align-nontemporal-stores,vector-to-llvm -t llvm -o %t.again.ll
// RUN: diff %t.ll %t.again.ll

// Counters and the segfault detector change no bit at any level, and the text of a kernel says all of them.
// CHECK: llvm.func @subgraph_0(
// CHECK-SAME: snippets.counters = [{label = "snippets.broadcast", clock = "monotonic"
// CHECK-SAME: "lir.load of %x at {{.*}}mlir:13:3", "loop 0", "loop 1 (last)"]
// CHECK: llvm.func @clock_gettime(i32, !llvm.ptr) -> i32
func.func @main(%x: tensor<2x5xf32>) -> tensor<2x1xf32> {
  %0 = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<2x5xf32>) -> tensor<2x1xf32>
  func.return %0 : tensor<2x1xf32>
}
