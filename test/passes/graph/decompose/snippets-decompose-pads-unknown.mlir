// Sizes that are not known: the fill has no type.
// RUN: snippets-opt %s -p snippets-decompose-pads | filecheck %s

// CHECK-LABEL: @unknown
// CHECK-NEXT: snippets.pad
func.func @unknown(%x: tensor<?x8xf32>, %v: tensor<f32>) -> tensor<?x8xf32> {
  %0 = snippets.pad %x, %v {low = array<i64: 1, 0>, high = array<i64: 0, 0>} : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}
