// RUN: snippets-opt %s --symbols -p canonicalize | filecheck %s
// RUN: snippets-opt %s --symbols -p canonicalize | snippets-opt - | filecheck %s

// Sizes and starts are formulas; a slice of a slice is one slice.
// CHECK: func.func @main(%x: tensor<?xf32, #lir.sizes<?0>>) -> (tensor<?xf32, #lir.sizes<?0 + -3>>, tensor<?xf32, #lir.sizes<?0 + -1>>, tensor<2xf32>)
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<?xf32, #lir.sizes<?0>>) -> tensor<?xf32, #lir.sizes<?0 + -3>>
// CHECK-NEXT: snippets.slice %x {starts = [#snippets.size<?0 + -1 : i64>], steps = array<i64: -1>} : (tensor<?xf32, #lir.sizes<?0>>) -> tensor<?xf32, #lir.sizes<?0 + -1>>
// CHECK-NEXT: snippets.slice %x {starts = [#snippets.size<?0 + -4 : i64>], steps = array<i64: 1>} : (tensor<?xf32, #lir.sizes<?0>>) -> tensor<2xf32>
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = snippets.slice_to %x {starts = array<i64: 1>, stops = array<i64: -2>, steps = array<i64: 1>} : tensor<?xf32>
  %1 = snippets.slice_to %x {starts = array<i64: -1>, stops = array<i64: 0>, steps = array<i64: -1>} : tensor<?xf32>
  %2 = snippets.slice_to %0 {starts = array<i64: -2>, stops = array<i64: 9223372036854775807>, steps = array<i64: 1>} : tensor<?xf32>
  func.return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
