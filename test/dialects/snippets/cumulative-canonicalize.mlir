// RUN: snippets-opt %s -p canonicalize | filecheck %s

// One element is what it combines to, backwards, too; left out, it is what nothing combines to.
// CHECK-LABEL: @one
// CHECK-NEXT: snippets.cum_sum %x {axis = 0 : i64}
// CHECK-NEXT: snippets.cum_sum %x {axis = 1 : i64, exclusive}
// CHECK-NEXT: func.return %{{.*}}, %x, %x, %{{.*}} :
func.func @one(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  %0 = snippets.cum_sum %x {axis = 0 : i64} : tensor<4x1xf32>
  %1 = snippets.cum_sum %x {axis = 1 : i64} : tensor<4x1xf32>
  %2 = snippets.cum_max %x {axis = 1 : i64, reverse} : tensor<4x1xf32>
  %3 = snippets.cum_sum %x {axis = 1 : i64, exclusive} : tensor<4x1xf32>
  func.return %0, %1, %2, %3 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}
