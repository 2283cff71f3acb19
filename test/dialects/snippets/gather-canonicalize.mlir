// RUN: snippets-opt %s -p canonicalize | filecheck %s

// Kernels read i32 and i64: other places are converted, those of ui64 stay.
// CHECK-LABEL: @widened
// CHECK: %[[W:.*]] = snippets.convert_truncation %i : (tensor<3xui8>) -> tensor<3xi64>
// CHECK: snippets.gather %x, %[[W]] {axis = 0 : i64, from_end}
// CHECK: snippets.gather %x, %u {axis = 0 : i64}
// CHECK: snippets.gather %x, %k {axis = 0 : i64}
func.func @widened(%x: tensor<8x4xf32>, %i: tensor<3xui8>, %u: tensor<3xui64>, %k: tensor<3xi32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = snippets.gather %x, %i {axis = 0 : i64, from_end} : (tensor<8x4xf32>, tensor<3xui8>) -> tensor<3x4xf32>
  %1 = snippets.gather %x, %u {axis = 0 : i64} : (tensor<8x4xf32>, tensor<3xui64>) -> tensor<3x4xf32>
  %2 = snippets.gather %x, %k {axis = 0 : i64} : (tensor<8x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
  func.return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// A slice at a constant place is a slice: of 7 it is moved to 6.
// CHECK-LABEL: @known
// CHECK: %[[R:.*]] = snippets.slice %x {starts = array<i64: 6, 0>, steps = array<i64: 1, 1>} : (tensor<8x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @known(%x: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %s = snippets.scalar 7 : i64
  %0 = snippets.dynamic_slice %x, %s {axes = array<i64: 0>} : (tensor<8x4xf32>, tensor<i64>) -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}

// One that only the call knows stays.
// CHECK-LABEL: @unknown
// CHECK: snippets.dynamic_slice %x, %{{.*}}, %s {axes = array<i64: 0, 1>}
func.func @unknown(%x: tensor<8x4xf32>, %s: tensor<i32>) -> tensor<2x3xf32> {
  %c = snippets.scalar 1 : i32
  %0 = snippets.dynamic_slice %x, %c, %s {axes = array<i64: 0, 1>} : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}
