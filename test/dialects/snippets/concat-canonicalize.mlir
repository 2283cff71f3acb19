// RUN: snippets-opt %s -p canonicalize | filecheck %s

// Concats along one axis are one; parts without elements are none.
// CHECK-LABEL: @flat
// CHECK-NEXT: %[[R:.*]] = snippets.concat %x, %y, %x {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>) -> tensor<4x19xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @flat(%x: tensor<4x8xf32>, %y: tensor<4x3xf32>, %z: tensor<4x0xf32>) -> tensor<4x19xf32> {
  %0 = snippets.concat %y, %z, %x {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x0xf32>, tensor<4x8xf32>) -> tensor<4x11xf32>
  %1 = snippets.concat %x, %0 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x11xf32>) -> tensor<4x19xf32>
  func.return %1 : tensor<4x19xf32>
}

// Along other axes, or if others read the inner one, both stay.
// CHECK-LABEL: @both
// CHECK-COUNT-4: snippets.concat
// CHECK-NOT: snippets.concat
func.func @both(%x: tensor<4x8xf32>) -> (tensor<8x16xf32>, tensor<4x16xf32>, tensor<4x24xf32>) {
  %0 = snippets.concat %x, %x {axis = 0 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = snippets.concat %0, %0 {axis = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  %2 = snippets.concat %x, %x {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %3 = snippets.concat %2, %x {axis = 1 : i64} : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  func.return %1, %2, %3 : tensor<8x16xf32>, tensor<4x16xf32>, tensor<4x24xf32>
}

// CHECK-LABEL: @alone
// CHECK-NEXT: func.return %x, %x
func.func @alone(%x: tensor<4x8xf32>, %z: tensor<4x0xf32>, %v: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = snippets.concat %z, %x {axis = 1 : i64} : (tensor<4x0xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = snippets.pad %x, %v {low = array<i64: 0, 0>, high = array<i64: 0, 0>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @of_constants
// CHECK: snippets.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
func.func @of_constants() -> tensor<3xf32> {
  %0 = snippets.constant dense<1.0> : tensor<1xf32>
  %1 = snippets.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %2 = snippets.concat %0, %1 {axis = 0 : i64} : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
  func.return %2 : tensor<3xf32>
}
