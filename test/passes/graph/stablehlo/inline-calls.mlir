// RUN: snippets-opt %s -p inline-calls | filecheck %s

// A callee that calls another one; private functions without calls go, public ones stay.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: snippets.exp %x
// CHECK-NEXT: snippets.add
// CHECK-NEXT: func.return
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
// CHECK-NOT: @outer
func.func private @outer(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %a : tensor<4xf32>
  %1 = func.call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
// CHECK: func.func @twice
func.func @twice(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %a, %a : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// A result that is an argument.
// CHECK-LABEL: func.func @given_back
// CHECK-NEXT: func.return %x
func.func @given_back(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @same(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @same(%a: tensor<4xf32>) -> tensor<4xf32> {
  func.return %a : tensor<4xf32>
}

// Not: a call that leads to itself, a callee that is only declared.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT: func.call @around
// CHECK-NEXT: func.call @elsewhere
func.func @stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @around(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @elsewhere(%0) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func private @around(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @around(%a) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
