// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-expand-math' --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'snippets-set-target,convert-snippets-to-lir,lir-expand-math' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// STAGE: error: {{.*}}expected @subgraph_0 at stage looped or expanded, found "linear"

// exp becomes arithmetic in the same loop; its constants are scalars at the front, each one once.
// CHECK-LABEL: func.func @fires
// CHECK: lir.kernel
// CHECK: snippets.scalar
// CHECK: lir.loop_begin 0
// CHECK-NOT: snippets.exp
// CHECK-NOT: snippets.scalar
// CHECK: snippets.fma {{.*}}lir.loops = array<i64: 0>
// CHECK: lir.store
func.func @fires(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.exp %a : tensor<16xf32>
    snippets.yield %0 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}

// -----

// Composite ops are expanded, too; so are those on integers.
// CHECK-LABEL: func.func @composite
// CHECK-NOT: snippets.relu
// CHECK: snippets.select
// CHECK-NOT: snippets.relu
func.func @composite(%x: tensor<16xf32>, %y: tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>) {
  %r, %s = snippets.subgraph (%a = %x, %b = %y) : (tensor<16xf32>, tensor<16xi32>) -> (tensor<16xf32>, tensor<16xi32>) {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.relu %b : tensor<16xi32>
    snippets.yield %0, %1 : tensor<16xf32>, tensor<16xi32>
  }
  func.return %r, %s : tensor<16xf32>, tensor<16xi32>
}

// -----

// Scalar operands of a power count as whole vectors.
// CHECK-LABEL: func.func @scalar_operand
// CHECK-NOT: snippets.power
// CHECK: lir.result
func.func @scalar_operand(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %k = snippets.scalar 2.5 : f32
    %0 = snippets.power %k, %a : (tensor<f32>, tensor<16xf32>) -> tensor<16xf32>
    snippets.yield %0 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}

// -----

// Does not fire: these have an emitter. Rounding to even is one instruction, away from zero is not.
// CHECK-LABEL: func.func @twin
// CHECK: snippets.add
// CHECK-NEXT: snippets.sqrt
// CHECK-NEXT: snippets.round
// CHECK-NEXT: lir.store
func.func @twin(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.add %a, %a : tensor<16xf32>
    %1 = snippets.sqrt %0 : tensor<16xf32>
    %2 = snippets.round %1 : tensor<16xf32>
    snippets.yield %2 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}
