// RUN: snippets-opt %s -p snippets-decompose-pads --split-input-file | filecheck %s

// The last dims first, so that rows before and after are in one piece.
// CHECK-LABEL: @both_dims
// CHECK-NEXT: %[[R:.*]] = snippets.broadcast %v : (tensor<f32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[X:.*]] = snippets.concat %x, %[[R]] {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.broadcast %v : (tensor<f32>) -> tensor<1x10xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.broadcast %v : (tensor<f32>) -> tensor<3x10xf32>
// CHECK-NEXT: snippets.concat %[[T]], %[[X]], %[[B]] {axis = 0 : i64}
func.func @both_dims(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<8x10xf32> {
  %0 = snippets.pad %x, %v {low = array<i64: 1, 0>, high = array<i64: 3, 2>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<8x10xf32>
  func.return %0 : tensor<8x10xf32>
}

// -----

// CHECK-LABEL: @nothing
// CHECK-NEXT: func.return %x
func.func @nothing(%x: tensor<4x8xf32>, %v: tensor<f32>) -> tensor<4x8xf32> {
  %0 = snippets.pad %x, %v {low = array<i64: 0, 0>, high = array<i64: 0, 0>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @no_elements
// CHECK: snippets.concat
func.func @no_elements(%x: tensor<0xf32>, %v: tensor<f32>) -> tensor<3xf32> {
  %0 = snippets.pad %x, %v {low = array<i64: 1>, high = array<i64: 2>} : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// -----

// CHECK-LABEL: @skipped
// CHECK: snippets.pad
func.func @skipped(%x: tensor<8xf32>, %v: tensor<f32>) -> tensor<9xf32> {
  %0 = snippets.pad %x, %v {low = array<i64: 1>, high = array<i64: 0>, snippets.skipped} : (tensor<8xf32>, tensor<f32>) -> tensor<9xf32>
  func.return %0 : tensor<9xf32>
}
