// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// Every op of the dialect in its custom form; both forms parse back to it.

// CHECK-LABEL: func.func @unary_of_floats
func.func @unary_of_floats(%x: tensor<4x8xf32>) {
  // CHECK: %{{.*}} = snippets.abs %x : tensor<4x8xf32>
  %0 = snippets.abs %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.acos %x : tensor<4x8xf32>
  %1 = snippets.acos %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.acosh %x : tensor<4x8xf32>
  %2 = snippets.acosh %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.asin %x : tensor<4x8xf32>
  %3 = snippets.asin %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.asinh %x : tensor<4x8xf32>
  %4 = snippets.asinh %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.atan %x : tensor<4x8xf32>
  %5 = snippets.atan %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.atanh %x : tensor<4x8xf32>
  %6 = snippets.atanh %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.ceiling %x : tensor<4x8xf32>
  %7 = snippets.ceiling %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.cos %x : tensor<4x8xf32>
  %8 = snippets.cos %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.cosh %x : tensor<4x8xf32>
  %9 = snippets.cosh %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.erf %x : tensor<4x8xf32>
  %10 = snippets.erf %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.exp %x : tensor<4x8xf32>
  %11 = snippets.exp %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.floor %x : tensor<4x8xf32>
  %12 = snippets.floor %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.hsigmoid %x : tensor<4x8xf32>
  %13 = snippets.hsigmoid %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.hswish %x : tensor<4x8xf32>
  %14 = snippets.hswish %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.log %x : tensor<4x8xf32>
  %15 = snippets.log %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.mish %x : tensor<4x8xf32>
  %16 = snippets.mish %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.negative %x : tensor<4x8xf32>
  %17 = snippets.negative %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.relu %x : tensor<4x8xf32>
  %18 = snippets.relu %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.rsqrt %x : tensor<4x8xf32>
  %19 = snippets.rsqrt %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.sigmoid %x : tensor<4x8xf32>
  %20 = snippets.sigmoid %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.sign %x : tensor<4x8xf32>
  %21 = snippets.sign %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.sin %x : tensor<4x8xf32>
  %22 = snippets.sin %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.sinh %x : tensor<4x8xf32>
  %23 = snippets.sinh %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.softplus %x : tensor<4x8xf32>
  %24 = snippets.softplus %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.softsign %x : tensor<4x8xf32>
  %25 = snippets.softsign %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.sqrt %x : tensor<4x8xf32>
  %26 = snippets.sqrt %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.tan %x : tensor<4x8xf32>
  %27 = snippets.tan %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.tanh %x : tensor<4x8xf32>
  %28 = snippets.tanh %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.trunc %x : tensor<4x8xf32>
  %29 = snippets.trunc %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.cbrt %x : tensor<4x8xf32>
  %30 = snippets.cbrt %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.exp2 %x : tensor<4x8xf32>
  %31 = snippets.exp2 %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.expm1 %x : tensor<4x8xf32>
  %32 = snippets.expm1 %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.log10 %x : tensor<4x8xf32>
  %33 = snippets.log10 %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.log1p %x : tensor<4x8xf32>
  %34 = snippets.log1p %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.log2 %x : tensor<4x8xf32>
  %35 = snippets.log2 %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.erfc %x : tensor<4x8xf32>
  %36 = snippets.erfc %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.erfinv %x : tensor<4x8xf32>
  %37 = snippets.erfinv %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.lgamma %x : tensor<4x8xf32>
  %38 = snippets.lgamma %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.digamma %x : tensor<4x8xf32>
  %39 = snippets.digamma %x : tensor<4x8xf32>
  func.return
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%x: tensor<4x8xf32>) {
  // CHECK: %{{.*}} = snippets.is_finite %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  %0 = snippets.is_finite %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK-NEXT: %{{.*}} = snippets.is_inf %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  %1 = snippets.is_inf %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK-NEXT: %{{.*}} = snippets.is_nan %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  %2 = snippets.is_nan %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK-NEXT: %{{.*}} = snippets.signbit %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  %3 = snippets.signbit %x : (tensor<4x8xf32>) -> tensor<4x8xi1>
  func.return
}

// CHECK-LABEL: func.func @unary_of_integers
func.func @unary_of_integers(%x: tensor<?x8xi64>) {
  // CHECK: %{{.*}} = snippets.abs %x : tensor<?x8xi64>
  %0 = snippets.abs %x : tensor<?x8xi64>
  // CHECK-NEXT: %{{.*}} = snippets.bitwise_not %x : tensor<?x8xi64>
  %1 = snippets.bitwise_not %x : tensor<?x8xi64>
  // CHECK-NEXT: %{{.*}} = snippets.negative %x : tensor<?x8xi64>
  %2 = snippets.negative %x : tensor<?x8xi64>
  // CHECK-NEXT: %{{.*}} = snippets.relu %x : tensor<?x8xi64>
  %3 = snippets.relu %x : tensor<?x8xi64>
  // CHECK-NEXT: %{{.*}} = snippets.sign %x : tensor<?x8xi64>
  %4 = snippets.sign %x : tensor<?x8xi64>
  func.return
}

// CHECK-LABEL: func.func @unary_of_booleans
func.func @unary_of_booleans(%x: tensor<4xi1>) {
  // CHECK: %{{.*}} = snippets.logical_not %x : tensor<4xi1>
  %0 = snippets.logical_not %x : tensor<4xi1>
  func.return
}

// CHECK-LABEL: func.func @unary_with_attributes
func.func @unary_with_attributes(%x: tensor<4x8xf32>) {
  // CHECK: %{{.*}} = snippets.clamp %x {min = -1.000000e+00 : f64, max = 6.000000e+00 : f32} : tensor<4x8xf32>
  %0 = snippets.clamp %x {min = -1.000000e+00 : f64, max = 6.000000e+00 : f32} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.elu %x {alpha = 1.000000e+00 : f64} : tensor<4x8xf32>
  %1 = snippets.elu %x {alpha = 1.000000e+00 : f64} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.gelu %x : tensor<4x8xf32>
  %2 = snippets.gelu %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.gelu %x {approximation = "erf"} : tensor<4x8xf32>
  %3 = snippets.gelu %x {approximation = "erf"} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.gelu %x {approximation = "tanh"} : tensor<4x8xf32>
  %4 = snippets.gelu %x {approximation = "tanh"} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.leaky_relu %x {alpha = 1.000000e-02 : f64} : tensor<4x8xf32>
  %5 = snippets.leaky_relu %x {alpha = 1.000000e-02 : f64} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.power_static %x {exponent = 3.000000e+00 : f64} : tensor<4x8xf32>
  %ps = snippets.power_static %x {exponent = 3.0 : f64} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.round %x : tensor<4x8xf32>
  %6 = snippets.round %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.round %x {mode = "half_to_even"} : tensor<4x8xf32>
  %7 = snippets.round %x {mode = "half_to_even"} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.round %x {mode = "half_away"} : tensor<4x8xf32>
  %8 = snippets.round %x {mode = "half_away"} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.swish %x : tensor<4x8xf32>
  %9 = snippets.swish %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.swish %x {beta = 1.702000e+00 : f64} : tensor<4x8xf32>
  %10 = snippets.swish %x {beta = 1.702000e+00 : f64} : tensor<4x8xf32>
  func.return
}

// CHECK-LABEL: func.func @clamp_of_integers
func.func @clamp_of_integers(%x: tensor<4xi32>) {
  // CHECK: %{{.*}} = snippets.clamp %x {min = 0 : i32, max = 255 : i32} : tensor<4xi32>
  %0 = snippets.clamp %x {min = 0 : i32, max = 255 : i32} : tensor<4xi32>
  func.return
}

// CHECK-LABEL: func.func @binary_of_floats
func.func @binary_of_floats(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // CHECK: %{{.*}} = snippets.add %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = snippets.add %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.divide %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = snippets.divide %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.floor_mod %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = snippets.floor_mod %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.maximum %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = snippets.maximum %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.minimum %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = snippets.minimum %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.mod %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %5 = snippets.mod %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.multiply %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %6 = snippets.multiply %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.power %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %7 = snippets.power %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.prelu %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %8 = snippets.prelu %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.squared_difference %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %9 = snippets.squared_difference %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.subtract %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %10 = snippets.subtract %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.atan2 %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %11 = snippets.atan2 %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.copysign %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %12 = snippets.copysign %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.nextafter %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %13 = snippets.nextafter %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return
}

// CHECK-LABEL: func.func @binary_of_integers
func.func @binary_of_integers(%x: tensor<ui8>) {
  // CHECK: %{{.*}} = snippets.add %x, %x : tensor<ui8>
  %0 = snippets.add %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.divide %x, %x : tensor<ui8>
  %1 = snippets.divide %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.floor_mod %x, %x : tensor<ui8>
  %2 = snippets.floor_mod %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.maximum %x, %x : tensor<ui8>
  %3 = snippets.maximum %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.minimum %x, %x : tensor<ui8>
  %4 = snippets.minimum %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.mod %x, %x : tensor<ui8>
  %5 = snippets.mod %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.multiply %x, %x : tensor<ui8>
  %6 = snippets.multiply %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.power %x, %x : tensor<ui8>
  %7 = snippets.power %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.prelu %x, %x : tensor<ui8>
  %8 = snippets.prelu %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.squared_difference %x, %x : tensor<ui8>
  %9 = snippets.squared_difference %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.subtract %x, %x : tensor<ui8>
  %10 = snippets.subtract %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.bitwise_and %x, %x : tensor<ui8>
  %11 = snippets.bitwise_and %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.bitwise_left_shift %x, %x : tensor<ui8>
  %12 = snippets.bitwise_left_shift %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.bitwise_or %x, %x : tensor<ui8>
  %13 = snippets.bitwise_or %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.bitwise_right_shift %x, %x : tensor<ui8>
  %14 = snippets.bitwise_right_shift %x, %x : tensor<ui8>
  // CHECK-NEXT: %{{.*}} = snippets.bitwise_xor %x, %x : tensor<ui8>
  %15 = snippets.bitwise_xor %x, %x : tensor<ui8>
  func.return
}

// CHECK-LABEL: func.func @binary_of_booleans
func.func @binary_of_booleans(%x: tensor<4xi1>) {
  // CHECK: %{{.*}} = snippets.equal %x, %x : tensor<4xi1>
  %0 = snippets.equal %x, %x : tensor<4xi1>
  // CHECK-NEXT: %{{.*}} = snippets.logical_and %x, %x : tensor<4xi1>
  %1 = snippets.logical_and %x, %x : tensor<4xi1>
  // CHECK-NEXT: %{{.*}} = snippets.logical_or %x, %x : tensor<4xi1>
  %2 = snippets.logical_or %x, %x : tensor<4xi1>
  // CHECK-NEXT: %{{.*}} = snippets.logical_xor %x, %x : tensor<4xi1>
  %3 = snippets.logical_xor %x, %x : tensor<4xi1>
  // CHECK-NEXT: %{{.*}} = snippets.not_equal %x, %x : tensor<4xi1>
  %4 = snippets.not_equal %x, %x : tensor<4xi1>
  func.return
}

// CHECK-LABEL: func.func @comparisons
func.func @comparisons(%x: tensor<4x1xf64>, %y: tensor<0xf64>) {
  // CHECK: %{{.*}} = snippets.equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  %0 = snippets.equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  // CHECK-NEXT: %{{.*}} = snippets.greater %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  %1 = snippets.greater %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  // CHECK-NEXT: %{{.*}} = snippets.greater_equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  %2 = snippets.greater_equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  // CHECK-NEXT: %{{.*}} = snippets.less %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  %3 = snippets.less %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  // CHECK-NEXT: %{{.*}} = snippets.less_equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  %4 = snippets.less_equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  // CHECK-NEXT: %{{.*}} = snippets.not_equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  %5 = snippets.not_equal %x, %y : (tensor<4x1xf64>, tensor<0xf64>) -> tensor<4x0xi1>
  func.return
}

// CHECK-LABEL: func.func @types_and_shapes
func.func @types_and_shapes(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %c: tensor<4x1xi1>, %n: tensor<4xi32>) {
  // CHECK: %{{.*}} = snippets.select %c, %x, %y : (tensor<4x1xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = snippets.select %c, %x, %y : (tensor<4x1xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.select %c, %x, %y {rare} : (tensor<4x1xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %r = snippets.select %c, %x, %y {rare} : (tensor<4x1xi1>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.convert_truncation %x : (tensor<4x8xf32>) -> tensor<4x8xi8>
  %1 = snippets.convert_truncation %x : (tensor<4x8xf32>) -> tensor<4x8xi8>
  // CHECK-NEXT: %{{.*}} = snippets.convert_saturation %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %2 = snippets.convert_saturation %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  // CHECK-NEXT: %{{.*}} = snippets.broadcast %y : (tensor<8xf32>) -> tensor<2x4x8xf32>
  %3 = snippets.broadcast %y : (tensor<8xf32>) -> tensor<2x4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.broadcast_move %c : (tensor<4x1xi1>) -> tensor<4x16xi1>
  %4 = snippets.broadcast_move %c : (tensor<4x1xi1>) -> tensor<4x16xi1>
  // CHECK-NEXT: %{{.*}} = snippets.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %5 = snippets.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  // CHECK-NEXT: %{{.*}} = snippets.bitcast %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  %6 = snippets.bitcast %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  // CHECK-NEXT: %{{.*}} = snippets.fma %x, %y, %x : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = snippets.fma %x, %y, %x : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.lookup %n {table = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : (tensor<4xi32>) -> tensor<4xf32>
  %8 = snippets.lookup %n {table = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-NEXT: %{{.*}} = snippets.lookup %n {table = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, wraps} : (tensor<4xi32>) -> tensor<4xf32>
  %wrapped = snippets.lookup %n {table = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, wraps} : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-NEXT: %{{.*}} = snippets.reduce_maxnum %x {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %9 = snippets.reduce_maxnum %x {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK-NEXT: %{{.*}} = snippets.running_maximum %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %10 = snippets.running_maximum %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  func.return
}

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK: %{{.*}} = snippets.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
  %0 = snippets.constant dense<[1.000000e+00, 2.500000e+00]> : tensor<2xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant dense<0.000000e+00> : tensor<2x3xf16>
  %1 = snippets.constant dense<0.000000e+00> : tensor<2x3xf16>
  // CHECK-NEXT: %{{.*}} = snippets.constant dense<> : tensor<0xf32>
  %2 = snippets.constant dense<> : tensor<0xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant dense<[true, false]> : tensor<2xi1>
  %3 = snippets.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-NEXT: %{{.*}} = snippets.constant dense<{{\[}}0x7f800000, 0xffc00000, -0.000000e+00]> : tensor<3xf32>
  %4 = snippets.constant dense<[0x7f800000, 0xffc00000, -0.000000e+00]> : tensor<3xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant #snippets.resource<"model.onnx", "w0", "00ff"> : tensor<64x64xf32>
  %5 = snippets.constant #snippets.resource<"model.onnx", "w0", "00ff"> : tensor<64x64xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant #snippets.resource<"model.onnx", "w1", "00ff", f32> : tensor<64x64xf32>
  %wider = snippets.constant #snippets.resource<"model.onnx", "w1", "00ff", f32> : tensor<64x64xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant #snippets.resource<"model.onnx", "w1", "00ff", columns 0 to 8> : tensor<64x8xf32>
  %part = snippets.constant #snippets.resource<"model.onnx", "w1", "00ff", columns 0 to 8> : tensor<64x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant #snippets.resource<"model.onnx", "w1", "00ff", columns 8 to 16, f32> : tensor<64x8xf32>
  %wider_part = snippets.constant #snippets.resource<"model.onnx", "w1", "00ff", columns 8 to 16, f32> : tensor<64x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant #snippets.panels<dense<1.000000e+00> : tensor<4x20xf32>, width 16> : tensor<2x4x16xf32>
  %packed = snippets.constant #snippets.panels<dense<1.0> : tensor<4x20xf32>, width 16> : tensor<2x4x16xf32>
  // CHECK-NEXT: %{{.*}} = snippets.constant #snippets.panels<#snippets.resource<"m.npy", "w", "00"> : tensor<1x20x4xf64>, transposed, width 8> : tensor<3x4x8xf64>
  %turned = snippets.constant #snippets.panels<#snippets.resource<"m.npy", "w", "00"> : tensor<1x20x4xf64>, transposed, width 8> : tensor<3x4x8xf64>
  // CHECK-NEXT: %{{.*}} = snippets.scalar 5.000000e-01 : f32
  %6 = snippets.scalar 5.000000e-01 : f32
  // CHECK-NEXT: %{{.*}} = snippets.scalar -1 : i64
  %7 = snippets.scalar -1 : i64
  // CHECK-NEXT: %{{.*}} = snippets.scalar true
  %8 = snippets.scalar true
  // CHECK-NEXT: %{{.*}} = snippets.scalar 255 : ui8
  %9 = snippets.scalar 255 : ui8
  // CHECK-NEXT: %{{.*}} = snippets.scalar #snippets.size<?0*?1*24 : f32>
  %10 = snippets.scalar #snippets.size<?0*?1*24 : f32>
  // CHECK-NEXT: %{{.*}} = snippets.scalar #snippets.size<?3 : i8> {note = "x"}
  %11 = snippets.scalar #snippets.size<?3 : i8> {note = "x"}
  func.return
}

// CHECK-LABEL: func.func @subgraphs
func.func @subgraphs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]], %[[S:.*]] = snippets.subgraph (%{{.*}} = %x, %{{.*}} = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) attributes {snippets.note = "two outputs"} {
  %0, %1 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) attributes {snippets.note = "two outputs"} {
    // CHECK-NEXT: %[[A:.*]] = snippets.add %{{.*}}, %{{.*}} : tensor<4xf32>
    %2 = snippets.add %a, %b : tensor<4xf32>
    // CHECK-NEXT: %[[L:.*]] = snippets.less %[[A]], %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = snippets.less %2, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    // CHECK-NEXT: snippets.yield %[[A]], %[[L]] : tensor<4xf32>, tensor<4xi1>
    snippets.yield %2, %3 : tensor<4xf32>, tensor<4xi1>
  }
  // CHECK: snippets.subgraph () : () -> () {
  // CHECK-NEXT: snippets.yield
  // CHECK-NEXT: }
  snippets.subgraph () : () -> () {
    snippets.yield
  }
  func.return %0 : tensor<4xf32>
}

// Discardable attributes stand with the op's own.
// CHECK-LABEL: func.func @discardable_attributes
func.func @discardable_attributes(%x: tensor<4xf32>) {
  // CHECK: snippets.elu %x {alpha = 1.000000e+00 : f64, snippets.skipped} : tensor<4xf32>
  %0 = snippets.elu %x {alpha = 1.000000e+00 : f64, snippets.skipped} : tensor<4xf32>
  // CHECK: snippets.scalar 1.000000e+00 : f32 {note = "x"}
  %1 = snippets.scalar 1.0 : f32 {note = "x"}
  func.return
}

// Zeros of both signs are not one value.
// CHECK-LABEL: func.func @zeros
// CHECK: snippets.constant dense<"0x0000000000000080"> : tensor<2xf32>
func.func @zeros() -> tensor<2xf32> {
  %0 = snippets.constant dense<[0.0, -0.0]> : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// CHECK-LABEL: @slices
func.func @slices(%x: tensor<4x8xf32>, %y: tensor<?x8xi1>) {
  // CHECK-NEXT: snippets.slice %x {starts = array<i64: 3, 1>, steps = array<i64: -1, 2>} : (tensor<4x8xf32>) -> tensor<4x3xf32>
  %0 = snippets.slice %x {starts = array<i64: 3, 1>, steps = array<i64: -1, 2>} : (tensor<4x8xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: snippets.slice_to %y {starts = array<i64: -1, 1>, stops = array<i64: 0, -2>, steps = array<i64: 1, 2>, drops = array<i64: 0>} : (tensor<?x8xi1>) -> tensor<3xi1>
  %2 = snippets.slice_to %y {starts = array<i64: -1, 1>, stops = array<i64: 0, -2>, steps = array<i64: 1, 2>, drops = array<i64: 0>} : (tensor<?x8xi1>) -> tensor<3xi1>
  // CHECK-NEXT: snippets.slice %y {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>, drops = array<i64: 0>} : (tensor<?x8xi1>) -> tensor<8xi1>
  %1 = snippets.slice %y {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>, drops = array<i64: 0>} : (tensor<?x8xi1>) -> tensor<8xi1>
  func.return
}

// CHECK-LABEL: func.func @joins
func.func @joins(%x: tensor<4x8xf32>, %y: tensor<?x8xf32>, %v: tensor<f32>) {
  // CHECK: %{{.*}} = snippets.concat %x, %x {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %0 = snippets.concat %x, %x {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  // CHECK-NEXT: %{{.*}} = snippets.concat %x, %y {axis = 0 : i64} : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = snippets.concat %x, %y {axis = 0 : i64} : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK-NEXT: %{{.*}} = snippets.pad %x, %v {low = array<i64: 1, 0>, high = array<i64: 0, 2>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x10xf32>
  %2 = snippets.pad %x, %v {low = array<i64: 1, 0>, high = array<i64: 0, 2>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x10xf32>
  func.return
}

// CHECK-LABEL: func.func @places
func.func @places(%x: tensor<4x8xf32>, %y: tensor<?x8xi1>, %i: tensor<2x3xi64>, %s: tensor<ui8>) {
  // CHECK-NEXT: %{{.*}} = snippets.gather %x, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<2x3xi64>) -> tensor<4x2x3xf32>
  %0 = snippets.gather %x, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<2x3xi64>) -> tensor<4x2x3xf32>
  // CHECK-NEXT: %{{.*}} = snippets.gather %y, %s {axis = 0 : i64, from_end} : (tensor<?x8xi1>, tensor<ui8>) -> tensor<8xi1>
  %1 = snippets.gather %y, %s {axis = 0 : i64, from_end} : (tensor<?x8xi1>, tensor<ui8>) -> tensor<8xi1>
  // CHECK-NEXT: %{{.*}} = snippets.dynamic_slice %y, %s {axes = array<i64: 1>} : (tensor<?x8xi1>, tensor<ui8>) -> tensor<?x3xi1>
  %2 = snippets.dynamic_slice %y, %s {axes = array<i64: 1>} : (tensor<?x8xi1>, tensor<ui8>) -> tensor<?x3xi1>
  // CHECK-NEXT: %{{.*}} = snippets.check_indices %i, %x {axis = 1 : i64} : (tensor<2x3xi64>, tensor<4x8xf32>) -> tensor<2x3xi64>
  %3 = snippets.check_indices %i, %x {axis = 1 : i64} : (tensor<2x3xi64>, tensor<4x8xf32>) -> tensor<2x3xi64>
  // CHECK-NEXT: %{{.*}} = snippets.check_indices %s, %x {axis = 0 : i64, from_end} : (tensor<ui8>, tensor<4x8xf32>) -> tensor<ui8>
  %4 = snippets.check_indices %s, %x {axis = 0 : i64, from_end} : (tensor<ui8>, tensor<4x8xf32>) -> tensor<ui8>
  func.return
}
