// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-perf-count{at=body clock=rdtsc}' --split-input-file | filecheck %s --check-prefix=BODY
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8 loop-depth=2},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,lir-insert-perf-count{at=loops}' --split-input-file | filecheck %s --check-prefix=LOOPS
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-perf-count{at=expressions},lir-insert-specific-iterations' --split-input-file | filecheck %s --check-prefix=OPS
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-insert-perf-count' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// Two parallel loops share the domain, and are counted as one; the parts of the loop in them are not.
// BODY-LABEL: lir.kernel @subgraph_0
// BODY-NEXT: lir.perf_count_begin 0 {clock = "rdtsc", label = "body", position = "{{.*}}mlir:36:5"
// BODY: lir.loop_end 0
// BODY-NEXT: lir.perf_count_end 0
// BODY-NEXT: lir.result
// LOOPS-LABEL: lir.kernel @subgraph_0
// LOOPS-NEXT: lir.perf_count_begin 0 {clock = "monotonic", label = "loop 0", position = "{{.*}}mlir:36:5"
// LOOPS-NEXT: lir.loop_begin 0
// LOOPS-NEXT: lir.perf_count_begin 1 {clock = "monotonic", label = "loop 1 (main)", position = "{{.*}}mlir:36:5", lir.loops = array<i64: 0>
// LOOPS-NEXT: lir.loop_begin 2
// LOOPS: lir.loop_end 2
// LOOPS-NEXT: lir.perf_count_end 1
// LOOPS-NEXT: lir.perf_count_begin 2 {clock = "monotonic", label = "loop 1 (last)"
// LOOPS: lir.loop_end 3
// LOOPS-NEXT: lir.perf_count_end 2
// LOOPS: lir.loop_end 0
// LOOPS-NEXT: lir.perf_count_end 0
// A main part and a tail count together when they are split later.
// OPS-LABEL: lir.kernel @subgraph_0
// OPS: lir.perf_count_begin 0 {clock = "monotonic", label = "lir.load"
// OPS-NEXT: lir.load
// OPS-NEXT: lir.perf_count_end 0
// OPS-NEXT: lir.perf_count_begin 1 {clock = "monotonic", label = "snippets.abs"
// OPS: lir.loop_begin
// OPS-NEXT: lir.perf_count_begin 0 {clock = "monotonic", label = "lir.load"
// The kernel is not at a stage with markers.
// STAGE: error: pass 'lir-insert-perf-count': expected @subgraph_0 at stage looped or expanded or assigned, found "marked"; lir-insert-loops
func.func @rows(%x: tensor<3x13xf32>) -> tensor<3x13xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x13xf32>) -> tensor<3x13xf32> {
    %0 = snippets.abs %a : tensor<3x13xf32>
    snippets.yield %0 : tensor<3x13xf32>
  }
  func.return %r : tensor<3x13xf32>
}

// -----

// Does not fire: nothing is to be computed, and what is empty has no loops.
// BODY-LABEL: func.func @nothing
// BODY-NOT: lir.perf_count
// LOOPS-LABEL: func.func @nothing
// LOOPS-NOT: lir.perf_count
// OPS-LABEL: func.func @nothing
// OPS-NOT: lir.perf_count
func.func @nothing(%x: tensor<3xf32>) -> tensor<3xf32> {
  func.return %x : tensor<3xf32>
}
