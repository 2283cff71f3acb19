// RUN: snippets-opt %s -p canonicalize | filecheck %s

// Constants fold to what the op computes, broadcasting included.
// CHECK-LABEL: func.func @constants_fold
func.func @constants_fold() -> (tensor<2x2xf32>, tensor<3xi1>, tensor<2xi8>) {
  %a = snippets.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %b = snippets.constant dense<[10.0, -0.0]> : tensor<2xf32>
  %0 = snippets.multiply %a, %b : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %c = snippets.constant dense<[0x7fc00000, 0x7f800000, 1.0]> : tensor<3xf32>
  %1 = snippets.is_nan %c : (tensor<3xf32>) -> tensor<3xi1>
  %d = snippets.constant dense<[-128, 100]> : tensor<2xi8>
  %2 = snippets.add %d, %d : tensor<2xi8>
  // CHECK-DAG: %[[A:.*]] = snippets.constant dense<{{\[\[}}1.000000e+01, -0.000000e+00], [2.000000e+01, -0.000000e+00]]> : tensor<2x2xf32>
  // CHECK-DAG: %[[B:.*]] = snippets.constant dense<[true, false, false]> : tensor<3xi1>
  // CHECK-DAG: %[[C:.*]] = snippets.constant dense<[0, -56]> : tensor<2xi8>
  // CHECK: func.return %[[A]], %[[B]], %[[C]]
  func.return %0, %1, %2 : tensor<2x2xf32>, tensor<3xi1>, tensor<2xi8>
}

// A constant of more than 16384 elements would cost more than computing it.
// CHECK-LABEL: func.func @large_results_do_not_fold
func.func @large_results_do_not_fold() -> tensor<16385xf32> {
  %a = snippets.scalar 1.0 : f32
  // CHECK: snippets.broadcast
  %0 = snippets.broadcast %a : (tensor<f32>) -> tensor<16385xf32>
  func.return %0 : tensor<16385xf32>
}

// The data of a constant by reference is not in the text.
// CHECK-LABEL: func.func @named_constants_do_not_fold
func.func @named_constants_do_not_fold() -> tensor<4xf32> {
  %a = snippets.constant #snippets.resource<"m.onnx", "w", "00"> : tensor<4xf32>
  // CHECK: snippets.exp
  %0 = snippets.exp %a : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @neutral_elements
func.func @neutral_elements(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %one = snippets.scalar 1.0 : f32
  %minus_zero = snippets.scalar -0.0 : f32
  %0 = snippets.multiply %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = snippets.add %0, %minus_zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %zero = snippets.constant dense<0> : tensor<4xi32>
  %2 = snippets.add %n, %zero : tensor<4xi32>
  // CHECK-NEXT: func.return %x, %n
  func.return %1, %2 : tensor<4xf32>, tensor<4xi32>
}

// -0.0 + 0.0 is 0.0; NaN * 0.0 and inf - inf are NaN.
// CHECK-LABEL: func.func @floats_have_no_zero_rules
func.func @floats_have_no_zero_rules(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = snippets.scalar 0.0 : f32
  // CHECK: snippets.add %x
  %0 = snippets.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: snippets.multiply %x
  %1 = snippets.multiply %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: snippets.subtract %x, %x
  %2 = snippets.subtract %x, %x : tensor<4xf32>
  func.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @zero_absorbs_integers
func.func @zero_absorbs_integers(%n: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %zero = snippets.scalar 0 : i32
  %0 = snippets.multiply %zero, %n : (tensor<i32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = snippets.subtract %n, %n : tensor<4xi32>
  // CHECK-NEXT: %[[A:.*]] = snippets.constant dense<0> : tensor<4xi32>
  // CHECK-NEXT: %[[B:.*]] = snippets.constant dense<0> : tensor<4xi32>
  // CHECK-NEXT: func.return %[[A]], %[[B]]
  func.return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// A neutral element that gives the result its shape has to stay.
// CHECK-LABEL: func.func @shapes_stay
func.func @shapes_stay(%x: tensor<4xf32>, %y: tensor<?xf32>) -> (tensor<2x4xf32>, tensor<?xf32>) {
  %ones = snippets.constant dense<1.0> : tensor<2x4xf32>
  // CHECK: snippets.multiply %x
  %0 = snippets.multiply %x, %ones : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %four = snippets.constant dense<1.0> : tensor<4xf32>
  // CHECK: snippets.multiply %y
  %1 = snippets.multiply %y, %four : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
  func.return %0, %1 : tensor<2x4xf32>, tensor<?xf32>
}

// A scalar keeps the shape also when it is only known at run time.
// CHECK-LABEL: func.func @dynamic_dims
func.func @dynamic_dims(%y: tensor<?xf32>) -> tensor<?xf32> {
  %one = snippets.scalar 1.0 : f32
  %0 = snippets.multiply %y, %one : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
  // CHECK-NEXT: func.return %y
  func.return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @constants_to_the_right
func.func @constants_to_the_right(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK: %[[C:.*]] = snippets.scalar 3.000000e+00 : f32
  %c = snippets.scalar 3.0 : f32
  // CHECK-NEXT: snippets.add %x, %[[C]]
  %0 = snippets.add %c, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: snippets.greater %x, %[[C]]
  %1 = snippets.less %c, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xi1>
  func.return %0, %1 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @subtract_is_not_commutative
func.func @subtract_is_not_commutative(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = snippets.scalar 3.0 : f32
  // CHECK: snippets.subtract %{{.*}}, %x
  %0 = snippets.subtract %c, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @powers
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = snippets.scalar 2.0 : f32
  %minus_one = snippets.scalar -1.0 : f32
  %half = snippets.scalar 0.5 : f32
  // CHECK: snippets.multiply %x, %x : tensor<4xf32>
  %0 = snippets.power %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: %[[ONE:.*]] = snippets.scalar 1.000000e+00 : f32
  // CHECK-NEXT: snippets.divide %[[ONE]], %x
  %1 = snippets.power %x, %minus_one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // The root of -0.0 is -0.0, its power is 0.0.
  // CHECK: snippets.power %x
  %2 = snippets.power %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @signs
func.func @signs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = snippets.negative %x : tensor<4xf32>
  %1 = snippets.negative %0 : tensor<4xf32>
  // CHECK-NEXT: %[[D:.*]] = snippets.subtract %y, %x : tensor<4xf32>
  %2 = snippets.add %y, %0 : tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = snippets.abs %x : tensor<4xf32>
  %3 = snippets.abs %0 : tensor<4xf32>
  %4 = snippets.abs %3 : tensor<4xf32>
  // CHECK-NEXT: func.return %x, %[[D]], %[[A]]
  func.return %1, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @relus
func.func @relus(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = snippets.scalar 0.0 : f32
  // CHECK-NEXT: %[[R:.*]] = snippets.relu %x : tensor<4xf32>
  %0 = snippets.maximum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = snippets.relu %0 : tensor<4xf32>
  // CHECK-NEXT: %[[F:.*]] = snippets.floor %x : tensor<4xf32>
  %2 = snippets.floor %x : tensor<4xf32>
  %3 = snippets.round %2 : tensor<4xf32>
  // CHECK-NEXT: func.return %[[R]], %[[F]]
  func.return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// maximum(-0.0, -0.0) is -0.0, relu(-0.0) is 0.0.
// CHECK-LABEL: func.func @no_relu_of_negative_zero
func.func @no_relu_of_negative_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = snippets.scalar -0.0 : f32
  // CHECK: snippets.maximum %x
  %0 = snippets.maximum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @logic
func.func @logic(%a: tensor<4xi1>, %b: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) {
  %true = snippets.scalar true
  %0 = snippets.logical_not %a : tensor<4xi1>
  %1 = snippets.logical_not %0 : tensor<4xi1>
  %2 = snippets.logical_and %1, %true : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  // CHECK-NEXT: %[[N:.*]] = snippets.not_equal %x, %y
  %3 = snippets.equal %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = snippets.logical_not %3 : tensor<4xi1>
  // CHECK-NEXT: %[[S:.*]] = snippets.select %a, %y, %x
  %5 = snippets.select %0, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = snippets.select %b, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %a, %[[N]], %[[S]], %x
  func.return %2, %4, %5, %6 : tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
}

// For NaN neither x < y nor x >= y; integers are totally ordered.
// CHECK-LABEL: func.func @inverse_of_an_order
func.func @inverse_of_an_order(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<4xi32>, %m: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>) {
  // CHECK-NEXT: %[[L:.*]] = snippets.less %x, %y
  %0 = snippets.less %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  // CHECK-NEXT: snippets.logical_not %[[L]]
  %1 = snippets.logical_not %0 : tensor<4xi1>
  // CHECK-NEXT: snippets.greater_equal %n, %m
  %2 = snippets.less %n, %m : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  %3 = snippets.logical_not %2 : tensor<4xi1>
  func.return %1, %3 : tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @bits
func.func @bits(%n: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui8>) {
  %ones = snippets.scalar 255 : ui8
  %zero = snippets.scalar 0 : ui8
  %0 = snippets.bitwise_and %n, %ones : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  %1 = snippets.bitwise_left_shift %0, %zero : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  // CHECK-NEXT: %[[N:.*]] = snippets.bitwise_not %n
  %2 = snippets.bitwise_xor %n, %ones : (tensor<4xui8>, tensor<ui8>) -> tensor<4xui8>
  // CHECK-NEXT: func.return %n, %[[N]]
  func.return %1, %2 : tensor<4xui8>, tensor<4xui8>
}

// CHECK-LABEL: func.func @conversions
func.func @conversions(%x: tensor<4xf32>, %n: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xf32>) {
  // There and back through a wider type is the operand itself.
  %0 = snippets.convert_truncation %x : (tensor<4xf32>) -> tensor<4xf64>
  %1 = snippets.convert_saturation %0 : (tensor<4xf64>) -> tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = snippets.convert_truncation %n : (tensor<4xi8>) -> tensor<4xf32>
  %2 = snippets.convert_truncation %n : (tensor<4xi8>) -> tensor<4xi32>
  %3 = snippets.convert_truncation %2 : (tensor<4xi32>) -> tensor<4xf32>
  // CHECK-NEXT: func.return %x, %[[C]]
  func.return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// The narrow type in the middle loses bits.
// CHECK-LABEL: func.func @lossy_conversions_stay
func.func @lossy_conversions_stay(%x: tensor<4xf64>) -> tensor<4xf64> {
  // CHECK: snippets.convert_truncation %x : (tensor<4xf64>) -> tensor<4xf32>
  %0 = snippets.convert_truncation %x : (tensor<4xf64>) -> tensor<4xf32>
  // CHECK-NEXT: snippets.convert_truncation
  %1 = snippets.convert_truncation %0 : (tensor<4xf32>) -> tensor<4xf64>
  func.return %1 : tensor<4xf64>
}

// CHECK-LABEL: func.func @views
func.func @views(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<5x4x6xf32>) {
  %0 = snippets.reshape %x : (tensor<6xf32>) -> tensor<2x3xf32>
  %1 = snippets.reshape %0 : (tensor<2x3xf32>) -> tensor<6xf32>
  %2 = snippets.broadcast %x : (tensor<6xf32>) -> tensor<4x6xf32>
  // CHECK-NEXT: %[[B:.*]] = snippets.broadcast %x : (tensor<6xf32>) -> tensor<5x4x6xf32>
  %3 = snippets.broadcast %2 : (tensor<4x6xf32>) -> tensor<5x4x6xf32>
  // CHECK-NEXT: func.return %x, %[[B]]
  func.return %1, %3 : tensor<6xf32>, tensor<5x4x6xf32>
}

// CHECK-LABEL: func.func @clamps
func.func @clamps(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[C:.*]] = snippets.clamp %x {min = 0.000000e+00 : f32, max = 6.000000e+00 : f32}
  %0 = snippets.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<4xf32>
  %1 = snippets.clamp %0 {min = 0.0 : f32, max = 6.0 : f32} : tensor<4xf32>
  %2 = snippets.clamp %x {min = 0xFF800000 : f32, max = 0x7F800000 : f32} : tensor<4xf32>
  // CHECK-NEXT: func.return %[[C]], %x
  func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @division_by_a_power_of_two
func.func @division_by_a_power_of_two(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %four = snippets.scalar 4.0 : f32
  %three = snippets.scalar 3.0 : f32
  // CHECK: %[[Q:.*]] = snippets.scalar 2.500000e-01 : f32
  // CHECK-NEXT: snippets.multiply %x, %[[Q]]
  %0 = snippets.divide %x, %four : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // 1/3 is no float.
  // CHECK: snippets.divide %x
  %1 = snippets.divide %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @attributes_stay
func.func @attributes_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = snippets.scalar 2.0 : f32
  // CHECK: snippets.multiply %x, %x {snippets.skipped} : tensor<4xf32>
  %0 = snippets.power %x, %two {snippets.skipped} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// An inner op with another use is left for that use.
// CHECK-LABEL: func.func @other_uses
func.func @other_uses(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %[[N:.*]] = snippets.negative %x
  %0 = snippets.negative %x : tensor<4xf32>
  %1 = snippets.negative %0 : tensor<4xf32>
  // CHECK-NEXT: func.return %[[N]], %x
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Rules apply inside subgraphs too.
// CHECK-LABEL: func.func @inside_a_subgraph
func.func @inside_a_subgraph(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: snippets.subgraph
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %two = snippets.scalar 2.0 : f32
    // CHECK-NEXT: snippets.multiply %[[A:.*]], %[[A]]
    %1 = snippets.power %a, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    snippets.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
