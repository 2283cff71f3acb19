// RUN: snippets-opt %s | snippets-opt | filecheck %s
// RUN: snippets-opt %s --print-op-generic | snippets-opt | filecheck %s

// CHECK-LABEL: lir.kernel @k
// CHECK-NEXT: lir.perf_count_begin 0 {clock = "monotonic", label = "body"}
// CHECK-NEXT: lir.loop_begin 0
// CHECK-NEXT: lir.perf_count_begin 3 {clock = "rdtsc", label = "lir.load", position = "f.mlir:3:8", note = "x"}
// CHECK-NEXT: lir.perf_count_end 3
// CHECK-NEXT: lir.perf_count_begin 3 {clock = "rdtsc", label = "lir.load", position = "f.mlir:3:8"}
// CHECK-NEXT: lir.perf_count_end 3 {lir.loops = array<i64: 0>}
// CHECK-NEXT: lir.loop_end 0
// CHECK-NEXT: lir.perf_count_end 0
lir.kernel @k "looped" () -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  lir.perf_count_begin 0 {clock = "monotonic", label = "body"}
  lir.loop_begin 0
  lir.perf_count_begin 3 {clock = "rdtsc", label = "lir.load", position = "f.mlir:3:8", note = "x"}
  lir.perf_count_end 3
  lir.perf_count_begin 3 {clock = "rdtsc", label = "lir.load", position = "f.mlir:3:8"}
  lir.perf_count_end 3 {lir.loops = array<i64: 0>}
  lir.loop_end 0
  lir.perf_count_end 0
}
