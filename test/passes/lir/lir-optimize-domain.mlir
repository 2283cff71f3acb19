// RUN: snippets-opt %s -p convert-snippets-to-lir,lir-optimize-domain --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-optimize-domain{min-kernel-work=0}' --split-input-file | filecheck %s --check-prefix=ALL

// Without broadcasts everything is one flat dim.
// CHECK-LABEL: @flat
// CHECK: lir.kernel
// CHECK: snippets.relu {{.*}} [#lir.port<[200704]>, #lir.port<[200704]>]
func.func @flat(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32> {
    %0 = snippets.relu %a : tensor<1x64x56x56xf32>
    snippets.yield %0 : tensor<1x64x56x56xf32>
  }
  func.return %r : tensor<1x64x56x56xf32>
}

// -----

// A bias per channel keeps the channels apart from the pixels.
// CHECK-LABEL: @bias
// CHECK: snippets.add {{.*}} [#lir.port<[2, 3, 1024]>, #lir.port<[1, 3, 1]>, #lir.port<[2, 3, 1024]>]
func.func @bias(%x: tensor<2x3x32x32xf32>, %y: tensor<3x1x1xf32>) -> tensor<2x3x32x32xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x3x32x32xf32>, tensor<3x1x1xf32>) -> tensor<2x3x32x32xf32> {
    %0 = snippets.add %a, %b : (tensor<2x3x32x32xf32>, tensor<3x1x1xf32>) -> tensor<2x3x32x32xf32>
    snippets.yield %0 : tensor<2x3x32x32xf32>
  }
  func.return %r : tensor<2x3x32x32xf32>
}

// -----

// The innermost dim stops at 256 elements when other dims remain, and goes on with min-kernel-work=0.
// CHECK-LABEL: @limit
// CHECK: snippets.add {{.*}} [#lir.port<[2, 8, 512]>, #lir.port<[2, 1, 1]>, #lir.port<[2, 8, 512]>]
// ALL-LABEL: @limit
// ALL: snippets.add {{.*}} [#lir.port<[2, 4096]>, #lir.port<[2, 1]>, #lir.port<[2, 4096]>]
func.func @limit(%x: tensor<2x8x16x32xf32>, %y: tensor<2x1x1x1xf32>) -> tensor<2x8x16x32xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x16x32xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x16x32xf32> {
    %0 = snippets.add %a, %b : (tensor<2x8x16x32xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x16x32xf32>
    snippets.yield %0 : tensor<2x8x16x32xf32>
  }
  func.return %r : tensor<2x8x16x32xf32>
}

// -----

// Does not fire: every dim is broadcast differently from its neighbour.
// CHECK-LABEL: @twin
// CHECK: snippets.add {{.*}} [#lir.port<[4, 1, 6]>, #lir.port<[1, 5, 1]>, #lir.port<[4, 5, 6]>]
func.func @twin(%x: tensor<4x1x6xf32>, %y: tensor<5x1xf32>) -> tensor<4x5x6xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x1x6xf32>, tensor<5x1xf32>) -> tensor<4x5x6xf32> {
    %0 = snippets.add %a, %b : (tensor<4x1x6xf32>, tensor<5x1xf32>) -> tensor<4x5x6xf32>
    snippets.yield %0 : tensor<4x5x6xf32>
  }
  func.return %r : tensor<4x5x6xf32>
}

// -----

// Rank 0 and sizes of 1 keep one dim.
// CHECK-LABEL: @single
// CHECK: snippets.add {{.*}} [#lir.port<[1]>, #lir.port<[1]>, #lir.port<[1]>]
func.func @single(%x: tensor<1x1xf32>, %y: tensor<f32>) -> tensor<1x1xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32> {
    %0 = snippets.add %a, %b : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
    snippets.yield %0 : tensor<1x1xf32>
  }
  func.return %r : tensor<1x1xf32>
}

// -----

// A dim of size 1 in one of two transposes that have nothing to do with each other: it has no place among the dims
// that are walked there, so it stays apart from its neighbours.
// CHECK-LABEL: @one_in_a_part
// CHECK: #lir.port<[17, 5, 1], layout [2, 1, 0]>, #lir.port<[17, 5, 1]>
// CHECK: #lir.port<[5, 17, 3], layout [2, 0, 1]>, #lir.port<[5, 17, 3]>
func.func @one_in_a_part(%x: tensor<1x5x17xf32>, %y: tensor<3x5x17xf32>) -> (tensor<17x5x1xf32>, tensor<5x17x3xf32>) {
  %r:2 = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x5x17xf32>, tensor<3x5x17xf32>) -> (tensor<17x5x1xf32>, tensor<5x17x3xf32>) {
    %0 = snippets.transpose %a {permutation = array<i64: 2, 1, 0>} : (tensor<1x5x17xf32>) -> tensor<17x5x1xf32>
    %1 = snippets.transpose %b {permutation = array<i64: 1, 2, 0>} : (tensor<3x5x17xf32>) -> tensor<5x17x3xf32>
    snippets.yield %0, %1 : tensor<17x5x1xf32>, tensor<5x17x3xf32>
  }
  func.return %r#0, %r#1 : tensor<17x5x1xf32>, tensor<5x17x3xf32>
}

// -----

// Does not fire: dims that are neighbours in both parts collapse.
// CHECK-LABEL: @neighbours_in_all_parts
// CHECK: #lir.port<[85, 2], layout [1, 0]>, #lir.port<[85, 2]>
// CHECK: #lir.port<[51, 3], layout [1, 0]>, #lir.port<[51, 3]>
func.func @neighbours_in_all_parts(%x: tensor<2x5x17xf32>, %y: tensor<3x3x17xf32>) -> (tensor<5x17x2xf32>, tensor<3x17x3xf32>) {
  %r:2 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x5x17xf32>, tensor<3x3x17xf32>) -> (tensor<5x17x2xf32>, tensor<3x17x3xf32>) {
    %0 = snippets.transpose %a {permutation = array<i64: 1, 2, 0>} : (tensor<2x5x17xf32>) -> tensor<5x17x2xf32>
    %1 = snippets.transpose %b {permutation = array<i64: 1, 2, 0>} : (tensor<3x3x17xf32>) -> tensor<3x17x3xf32>
    snippets.yield %0, %1 : tensor<5x17x2xf32>, tensor<3x17x3xf32>
  }
  func.return %r#0, %r#1 : tensor<5x17x2xf32>, tensor<3x17x3xf32>
}

// -----

// An input that repeats what it has along both dims has no order for them: batch and rows of a product with a
// transposed right operand are one dim.
// CHECK-LABEL: @repeated
// CHECK: lir.brgemm {{.*}} [#lir.port<[256, 32, 1]>, #lir.port<[1, 32, 48], layout [0, 2, 1]>, #lir.port<[256, 1, 48]>]
func.func @repeated(%x: tensor<4x64x32xf32>, %w: tensor<48x32xf32>) -> tensor<4x64x48xf32> {
  %r = snippets.subgraph (%a = %x, %b = %w) : (tensor<4x64x32xf32>, tensor<48x32xf32>) -> (tensor<4x64x48xf32>) {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<4x64x32xf32>, tensor<48x32xf32>) -> tensor<4x64x48xf32>
    snippets.yield %0 : tensor<4x64x48xf32>
  }
  func.return %r : tensor<4x64x48xf32>
}

// -----

// Does not fire: each batch has a transposed operand of its own.
// CHECK-LABEL: @not_repeated
// CHECK: lir.brgemm {{.*}} [#lir.port<[4, 64, 32, 1]>, #lir.port<[4, 1, 32, 48], layout [0, {{.*}}]>, #lir.port<[4, 64, 1, 48]>]
func.func @not_repeated(%x: tensor<4x64x32xf32>, %w: tensor<4x48x32xf32>) -> tensor<4x64x48xf32> {
  %r = snippets.subgraph (%a = %x, %b = %w) : (tensor<4x64x32xf32>, tensor<4x48x32xf32>) -> (tensor<4x64x48xf32>) {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<4x64x32xf32>, tensor<4x48x32xf32>) -> tensor<4x64x48xf32>
    snippets.yield %0 : tensor<4x64x48xf32>
  }
  func.return %r : tensor<4x64x48xf32>
}

// -----

// Does not fire: one of two inputs has the dims in another order.
// CHECK-LABEL: @one_in_order
// CHECK: #lir.port<[3, 4, 5], layout [1, 0, 2]>, #lir.port<[1, 1, 5]>, #lir.port<[3, 4, 5]>
func.func @one_in_order(%x: tensor<4x3x5xf32>, %y: tensor<5xf32>) -> tensor<3x4x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x3x5xf32>, tensor<5xf32>) -> (tensor<3x4x5xf32>) {
    %0 = snippets.transpose %a {permutation = array<i64: 1, 0, 2>} : (tensor<4x3x5xf32>) -> tensor<3x4x5xf32>
    %1 = snippets.add %0, %b : (tensor<3x4x5xf32>, tensor<5xf32>) -> tensor<3x4x5xf32>
    snippets.yield %1 : tensor<3x4x5xf32>
  }
  func.return %r : tensor<3x4x5xf32>
}

// -----

// Products of other shapes than what is between them: only dims of size 1 in all ports vanish.
// CHECK-LABEL: @other_shapes
// CHECK: lir.brgemm {{.*}} [#lir.port<[?0, 64, 1]>, #lir.port<[1, 64, ?1], layout [2, 0, 1]>, #lir.port<[?0, 1, ?1]>]
// CHECK: lir.brgemm {{.*}} [#lir.port<[?0, ?1, 1], layout [0, 2, 1]>, #lir.port<[1, ?1, 32]>, #lir.port<[?0, 1, 32]>]
func.func @other_shapes(%q: tensor<1x1x?x64xf32, #lir.sizes<?0>>, %k: tensor<1x1x?x64xf32, #lir.sizes<?1>>, %v: tensor<1x1x?x32xf32, #lir.sizes<?1>>) -> tensor<1x1x?x32xf32, #lir.sizes<?0>> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<1x1x?x64xf32, #lir.sizes<?0>>, tensor<1x1x?x64xf32, #lir.sizes<?1>>, tensor<1x1x?x32xf32, #lir.sizes<?1>>) -> tensor<1x1x?x32xf32, #lir.sizes<?0>> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x1x?x64xf32, #lir.sizes<?0>>, tensor<1x1x?x64xf32, #lir.sizes<?1>>) -> tensor<1x1x?x?xf32, #lir.sizes<?0, ?1>>
    %1 = snippets.exp %0 : tensor<1x1x?x?xf32, #lir.sizes<?0, ?1>>
    %2 = snippets.matmul %1, %c : (tensor<1x1x?x?xf32, #lir.sizes<?0, ?1>>, tensor<1x1x?x32xf32, #lir.sizes<?1>>) -> tensor<1x1x?x32xf32, #lir.sizes<?0>>
    snippets.yield %2 : tensor<1x1x?x32xf32, #lir.sizes<?0>>
  }
  func.return %r : tensor<1x1x?x32xf32, #lir.sizes<?0>>
}
