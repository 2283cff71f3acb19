// RUN: snippets-opt %s -p convert-stablehlo-to-snippets --verify-each | filecheck %s

// JAX's form: the mean is computed twice, and the variance is chosen by its number of elements.
// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[S:.*]] = snippets.reshape %w
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %b
// CHECK-NEXT: %[[N:.*]] = snippets.layer_norm %x, %[[S]], %[[B]] {axis = 1 : i64, epsilon = 9.99{{.*}}e-06 : f64}
// CHECK-NEXT: func.return %[[N]]
func.func @layer_norm(%x: tensor<8x20xf32>, %w: tensor<20xf32>, %b: tensor<20xf32>) -> tensor<8x20xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<20.0> : tensor<f32>
  %ns = stablehlo.constant dense<20.0> : tensor<8x1xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %2 = stablehlo.divide %1, %ns : tensor<8x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x20xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<8x20xf32>
  %5 = chlo.square %4 : tensor<8x20xf32> -> tensor<8x20xf32>
  %ddof = stablehlo.constant dense<0> : tensor<i32>
  %6 = stablehlo.convert %ddof : (tensor<i32>) -> tensor<f32>
  %7 = stablehlo.subtract %n, %6 : tensor<f32>
  %8 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
  %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %10 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
  %11 = stablehlo.divide %9, %10 : tensor<8x1xf32>
  %12 = stablehlo.compare GT, %7, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<8x1xf32>
  %13 = stablehlo.select %12, %11, %nan : tensor<i1>, tensor<8x1xf32>
  %14 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x20xf32>, tensor<f32>) -> tensor<8xf32>
  %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %16 = stablehlo.divide %15, %ns : tensor<8x1xf32>
  %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x20xf32>
  %18 = stablehlo.subtract %x, %17 : tensor<8x20xf32>
  %eps = stablehlo.constant dense<9.99999974E-6> : tensor<8x1xf32>
  %19 = stablehlo.add %13, %eps : tensor<8x1xf32>
  %20 = stablehlo.rsqrt %19 : tensor<8x1xf32>
  %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x20xf32>
  %22 = stablehlo.multiply %18, %21 : tensor<8x20xf32>
  %23 = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<20xf32>) -> tensor<8x20xf32>
  %24 = stablehlo.multiply %22, %23 : tensor<8x20xf32>
  %25 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<20xf32>) -> tensor<8x20xf32>
  %26 = stablehlo.add %25, %24 : tensor<8x20xf32>
  func.return %26 : tensor<8x20xf32>
}

// The form of Flax: E[x^2] - E[x]^2, raised to 0, and the scale beside the root.
// CHECK-LABEL: func.func @fast_variance
// CHECK: %[[N:.*]] = snippets.layer_norm %x, %{{.*}} {axis = 1 : i64
// CHECK-NEXT: func.return %[[N]]
func.func @fast_variance(%x: tensor<4x3x5xf32>, %w: tensor<3x5xf32>) -> tensor<4x3x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<4x1x1xf32>
  %n = stablehlo.constant dense<15.0> : tensor<4x1x1xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x3x5xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
  %2 = stablehlo.divide %1, %n : tensor<4x1x1xf32>
  %3 = stablehlo.multiply %x, %x : tensor<4x3x5xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<4x3x5xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x1x1xf32>
  %6 = stablehlo.divide %5, %n : tensor<4x1x1xf32>
  %7 = stablehlo.multiply %2, %2 : tensor<4x1x1xf32>
  %8 = stablehlo.subtract %6, %7 : tensor<4x1x1xf32>
  %9 = stablehlo.maximum %zeros, %8 : tensor<4x1x1xf32>
  %eps = stablehlo.constant dense<0.25> : tensor<4x1x1xf32>
  %10 = stablehlo.add %9, %eps : tensor<4x1x1xf32>
  %11 = stablehlo.rsqrt %10 : tensor<4x1x1xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x3x5xf32>
  %13 = stablehlo.broadcast_in_dim %w, dims = [1, 2] : (tensor<3x5xf32>) -> tensor<4x3x5xf32>
  %14 = stablehlo.multiply %12, %13 : tensor<4x3x5xf32>
  %15 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<4x1x1xf32>) -> tensor<4x3x5xf32>
  %16 = stablehlo.subtract %x, %15 : tensor<4x3x5xf32>
  %17 = stablehlo.multiply %16, %14 : tensor<4x3x5xf32>
  func.return %17 : tensor<4x3x5xf32>
}

// A division by the root, and a mean by the reciprocal of the count; a factor of each row stays.
// CHECK-LABEL: func.func @rms_norm
// CHECK: %[[N:.*]] = snippets.rms_norm %x {axis = 1 : i64, epsilon = 5.000000e-01 : f64}
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %r : (tensor<4xf64>) -> tensor<4x1xf64>
// CHECK-NEXT: snippets.multiply %[[N]], %[[R]]
func.func @rms_norm(%x: tensor<4x8xf64>, %r: tensor<4xf64>) -> tensor<4x8xf64> {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.multiply %x, %x : tensor<4x8xf64>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf64>, tensor<f64>) -> tensor<4xf64>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<4xf64>) -> tensor<4x1xf64>
  %part = stablehlo.constant dense<0.125> : tensor<4x1xf64>
  %3 = stablehlo.multiply %2, %part : tensor<4x1xf64>
  %eps = stablehlo.constant dense<0.5> : tensor<4x1xf64>
  %4 = stablehlo.add %eps, %3 : tensor<4x1xf64>
  %5 = stablehlo.sqrt %4 : tensor<4x1xf64>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<4x1xf64>) -> tensor<4x8xf64>
  %7 = stablehlo.divide %x, %6 : tensor<4x8xf64>
  %8 = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<4xf64>) -> tensor<4x8xf64>
  %9 = stablehlo.multiply %7, %8 : tensor<4x8xf64>
  func.return %9 : tensor<4x8xf64>
}

// No norms: a division by one element less, squares of another value, the mean over the first dim.
// CHECK-LABEL: func.func @squares_of_others
// CHECK-NOT: rms_norm
// CHECK: func.return
func.func @squares_of_others(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %squares = stablehlo.multiply %x, %x : tensor<8x8xf32>
  %s0 = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %k0 = stablehlo.broadcast_in_dim %s0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %n0 = stablehlo.constant dense<7.0> : tensor<8x1xf32>
  %m0 = stablehlo.divide %k0, %n0 : tensor<8x1xf32>
  %e0 = stablehlo.constant dense<0.5> : tensor<8x1xf32>
  %a0 = stablehlo.add %m0, %e0 : tensor<8x1xf32>
  %r0 = stablehlo.rsqrt %a0 : tensor<8x1xf32>
  %b0 = stablehlo.broadcast_in_dim %r0, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %y0 = stablehlo.multiply %x, %b0 : tensor<8x8xf32>
  %s1 = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %k1 = stablehlo.broadcast_in_dim %s1, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %n1 = stablehlo.constant dense<8.0> : tensor<8x1xf32>
  %m1 = stablehlo.divide %k1, %n1 : tensor<8x1xf32>
  %e1 = stablehlo.constant dense<0.5> : tensor<8x1xf32>
  %a1 = stablehlo.add %m1, %e1 : tensor<8x1xf32>
  %r1 = stablehlo.rsqrt %a1 : tensor<8x1xf32>
  %b1 = stablehlo.broadcast_in_dim %r1, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %y1 = stablehlo.multiply %y, %b1 : tensor<8x8xf32>
  %s2 = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %k2 = stablehlo.broadcast_in_dim %s2, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %n2 = stablehlo.constant dense<8.0> : tensor<1x8xf32>
  %m2 = stablehlo.divide %k2, %n2 : tensor<1x8xf32>
  %e2 = stablehlo.constant dense<0.5> : tensor<1x8xf32>
  %a2 = stablehlo.add %m2, %e2 : tensor<1x8xf32>
  %r2 = stablehlo.rsqrt %a2 : tensor<1x8xf32>
  %b2 = stablehlo.broadcast_in_dim %r2, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<8x8xf32>
  %y2 = stablehlo.multiply %x, %b2 : tensor<8x8xf32>
  func.return %y0, %y1, %y2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// The same by the number of elements, of the same value, over the last dim.
// CHECK-LABEL: func.func @squares
// CHECK: snippets.rms_norm %x {axis = 1 : i64
func.func @squares(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %squares = stablehlo.multiply %x, %x : tensor<8x8xf32>
  %s3 = stablehlo.reduce(%squares init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %k3 = stablehlo.broadcast_in_dim %s3, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %n3 = stablehlo.constant dense<8.0> : tensor<8x1xf32>
  %m3 = stablehlo.divide %k3, %n3 : tensor<8x1xf32>
  %e3 = stablehlo.constant dense<0.5> : tensor<8x1xf32>
  %a3 = stablehlo.add %m3, %e3 : tensor<8x1xf32>
  %r3 = stablehlo.rsqrt %a3 : tensor<8x1xf32>
  %b3 = stablehlo.broadcast_in_dim %r3, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %y3 = stablehlo.multiply %x, %b3 : tensor<8x8xf32>
  func.return %y3 : tensor<8x8xf32>
}

// Distances from the mean of another value, and a variance of one element less, are no layer norm.
// CHECK-LABEL: func.func @no_layer_norms
// CHECK-NOT: layer_norm
// CHECK: func.return
func.func @no_layer_norms(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<8.0> : tensor<8x1xf32>
  %less = stablehlo.constant dense<7.0> : tensor<8x1xf32>
  %eps = stablehlo.constant dense<0.5> : tensor<8x1xf32>
  %s0 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %k0 = stablehlo.broadcast_in_dim %s0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %m0 = stablehlo.divide %k0, %n : tensor<8x1xf32>
  %b0 = stablehlo.broadcast_in_dim %m0, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %d0 = stablehlo.subtract %x, %b0 : tensor<8x8xf32>
  %q0 = stablehlo.multiply %d0, %d0 : tensor<8x8xf32>
  %t0 = stablehlo.reduce(%q0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %u0 = stablehlo.broadcast_in_dim %t0, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %v0 = stablehlo.divide %u0, %n : tensor<8x1xf32>
  %a0 = stablehlo.add %v0, %eps : tensor<8x1xf32>
  %r0 = stablehlo.rsqrt %a0 : tensor<8x1xf32>
  %c0 = stablehlo.broadcast_in_dim %r0, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %y0 = stablehlo.multiply %d0, %c0 : tensor<8x8xf32>
  %s1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %k1 = stablehlo.broadcast_in_dim %s1, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %m1 = stablehlo.divide %k1, %n : tensor<8x1xf32>
  %b1 = stablehlo.broadcast_in_dim %m1, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %d1 = stablehlo.subtract %x, %b1 : tensor<8x8xf32>
  %q1 = stablehlo.multiply %d1, %d1 : tensor<8x8xf32>
  %t1 = stablehlo.reduce(%q1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %u1 = stablehlo.broadcast_in_dim %t1, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
  %v1 = stablehlo.divide %u1, %less : tensor<8x1xf32>
  %a1 = stablehlo.add %v1, %eps : tensor<8x1xf32>
  %r1 = stablehlo.rsqrt %a1 : tensor<8x1xf32>
  %c1 = stablehlo.broadcast_in_dim %r1, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x8xf32>
  %y1 = stablehlo.multiply %d1, %c1 : tensor<8x8xf32>
  func.return %y0, %y1 : tensor<8x8xf32>, tensor<8x8xf32>
}
