// RUN: snippets-opt %s -p canonicalize | filecheck %s

// CHECK-LABEL: @reshape_of_slice
// CHECK-NEXT: %[[R:.*]] = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>, drops = array<i64: 0>} : (tensor<8x9xf32>) -> tensor<9xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @reshape_of_slice(%x: tensor<8x9xf32>) -> tensor<9xf32> {
  %0 = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : (tensor<8x9xf32>) -> tensor<1x9xf32>
  %1 = snippets.reshape %0 : (tensor<1x9xf32>) -> tensor<9xf32>
  func.return %1 : tensor<9xf32>
}

// A reshape that merges dims, or adds one, stays.
// CHECK-LABEL: @other_reshapes
// CHECK-COUNT-2: snippets.reshape
func.func @other_reshapes(%x: tensor<8x9xf32>) -> (tensor<18xf32>, tensor<2x1x9xf32>) {
  %0 = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : (tensor<8x9xf32>) -> tensor<2x9xf32>
  %1 = snippets.reshape %0 : (tensor<2x9xf32>) -> tensor<18xf32>
  %2 = snippets.reshape %0 : (tensor<2x9xf32>) -> tensor<2x1x9xf32>
  func.return %1, %2 : tensor<18xf32>, tensor<2x1x9xf32>
}

// CHECK-LABEL: @slice_of_slice
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 7, 3>, steps = array<i64: -2, 2>, drops = array<i64: 1>} : (tensor<8x9xf32>) -> tensor<3xf32>
func.func @slice_of_slice(%x: tensor<8x9xf32>) -> tensor<3xf32> {
  %0 = snippets.slice %x {starts = array<i64: 7, 1>, steps = array<i64: -1, 2>} : (tensor<8x9xf32>) -> tensor<8x4xf32>
  %1 = snippets.slice %0 {starts = array<i64: 0, 1>, steps = array<i64: 2, 1>, drops = array<i64: 1>} : (tensor<8x4xf32>) -> tensor<3xf32>
  func.return %1 : tensor<3xf32>
}

// A slice of everything is its operand; a reversed one is not.
// CHECK-LABEL: @everything
// CHECK-NEXT: %[[R:.*]] = snippets.slice %x {starts = array<i64: 7>
// CHECK-NEXT: func.return %x, %[[R]]
func.func @everything(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = snippets.slice %x {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = snippets.slice %x {starts = array<i64: 7>, steps = array<i64: -1>} : (tensor<8xf32>) -> tensor<8xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Bounds are moved inside; nothing is taken where none is left.
// CHECK-LABEL: @known_bounds
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 6, 3>, steps = array<i64: 1, -2>} : (tensor<8x9xf32>) -> tensor<2x2xf32>
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 0, 8>, steps = array<i64: 1, 1>, drops = array<i64: 1>} : (tensor<8x9xf32>) -> tensor<0xf32>
func.func @known_bounds(%x: tensor<8x9xf32>) -> (tensor<2x2xf32>, tensor<0xf32>) {
  %0 = snippets.slice_to %x {starts = array<i64: -2, 3>, stops = array<i64: 99, -99>, steps = array<i64: 1, -2>} : (tensor<8x9xf32>) -> tensor<2x2xf32>
  %1 = snippets.slice_to %x {starts = array<i64: 8, -1>, stops = array<i64: 99, 0>, steps = array<i64: 1, 1>, drops = array<i64: 1>} : (tensor<8x9xf32>) -> tensor<0xf32>
  func.return %0, %1 : tensor<2x2xf32>, tensor<0xf32>
}

// Of unknown sizes it stays.
// CHECK-LABEL: @unknown_bounds
// CHECK-NEXT: snippets.slice_to
func.func @unknown_bounds(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.slice_to %x {starts = array<i64: 1>, stops = array<i64: -1>, steps = array<i64: 1>} : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}
