// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-move-scalar-to-consumer' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-move-scalar-to-consumer,lir-insert-broadcast-move,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations' --split-input-file | filecheck %s --check-prefix=LOOPS
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-move-scalar-to-consumer' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @subgraph_0 at stage accessed, found "linear"

// In front of its only reader, in that reader's loop; a tail gets a copy of its own.
// CHECK-LABEL: @fires
// CHECK: snippets.exp
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 2.{{.*}} {lir.loops = array<i64: 0>
// CHECK-NEXT: snippets.multiply {{.*}}, %[[C]]
// LOOPS-LABEL: @fires
// LOOPS: lir.loop_begin 1
// LOOPS: snippets.scalar 2.{{.*}} {lir.loops = array<i64: 1>
// LOOPS: lir.loop_begin 2
// LOOPS: snippets.scalar 2.{{.*}} {lir.loops = array<i64: 2>
func.func @fires(%x: tensor<21xf32>) -> tensor<21xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<21xf32>) -> tensor<21xf32> {
    %c = snippets.scalar 2.0 : f32
    %0 = snippets.exp %a : tensor<21xf32>
    %1 = snippets.multiply %0, %c : (tensor<21xf32>, tensor<f32>) -> tensor<21xf32>
    snippets.yield %1 : tensor<21xf32>
  }
  func.return %r : tensor<21xf32>
}

// -----

// Readers in two loops: in the loop around both, in front of the first of them.
// CHECK-LABEL: @two_loops
// CHECK: snippets.scalar 2.{{.*}} {lir.loops = array<i64: 0>
// CHECK-NEXT: lir.load {{.*}}lir.loops = array<i64: 0, 1>
// CHECK: snippets.multiply {{.*}}lir.loops = array<i64: 0, 1>
// CHECK: snippets.multiply {{.*}}lir.loops = array<i64: 0, 2>
// LOOPS-LABEL: @two_loops
// LOOPS: lir.loop_begin 0
// LOOPS: snippets.scalar 2.{{.*}} {lir.loops = array<i64: 0>
// LOOPS: lir.loop_begin
func.func @two_loops(%x: tensor<4x21xf32>) -> tensor<4x21xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x21xf32>) -> tensor<4x21xf32> {
    %c = snippets.scalar 2.0 : f32
    %0 = snippets.multiply %a, %c : (tensor<4x21xf32>, tensor<f32>) -> tensor<4x21xf32>
    %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : (tensor<4x21xf32>) -> tensor<4x1xf32>
    %2 = snippets.subtract %a, %1 : (tensor<4x21xf32>, tensor<4x1xf32>) -> tensor<4x21xf32>
    %3 = snippets.multiply %2, %c : (tensor<4x21xf32>, tensor<f32>) -> tensor<4x21xf32>
    snippets.yield %3 : tensor<4x21xf32>
  }
  func.return %r : tensor<4x21xf32>
}
