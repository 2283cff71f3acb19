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
