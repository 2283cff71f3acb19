// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: func.func @every_op
func.func @every_op(%x: tensor<4xf32>) {
  // CHECK: chlo.acos %x : tensor<4xf32> -> tensor<4xf32>
  %0 = chlo.acos %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.acosh %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.acosh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.asinh %x : tensor<4xf32> -> tensor<4xf32>
  %3 = chlo.asinh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
  %4 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.atanh %x : tensor<4xf32> -> tensor<4xf32>
  %5 = chlo.atanh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  %6 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.conj %x : tensor<4xf32> -> tensor<4xf32>
  %7 = chlo.conj %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.cosh %x : tensor<4xf32> -> tensor<4xf32>
  %8 = chlo.cosh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  %9 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  %10 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  %11 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.erfc %x : tensor<4xf32> -> tensor<4xf32>
  %12 = chlo.erfc %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.is_inf %x : tensor<4xf32> -> tensor<4xf32>
  %13 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xf32>
  %14 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xf32>
  %15 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  %16 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>
  %17 = chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  %18 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  %19 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.next_after %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %20 = chlo.next_after %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.polygamma %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %21 = chlo.polygamma %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %22 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: chlo.top_k(%x, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)
  func.return
}
