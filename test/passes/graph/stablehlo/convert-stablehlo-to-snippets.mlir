// RUN: snippets-opt %s -p convert-stablehlo-to-snippets | filecheck %s

// Names of the records; broadcasts that the op does by itself go.
// CHECK-LABEL: func.func @named
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 2.000000e+00 : f32
// CHECK-NEXT: %[[E:.*]] = snippets.exp %x : tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[E]], %[[C]] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[L:.*]] = snippets.less %[[S]], %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
// CHECK-NEXT: snippets.logical_and %[[L]], %[[L]] : tensor<4x8xi1>
func.func @named(%x: tensor<4x8xf32>) -> tensor<4x8xi1> {
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %1 = stablehlo.exponential %x : tensor<4x8xf32>
  %2 = stablehlo.add %1, %0 : tensor<4x8xf32>
  %3 = stablehlo.compare LT, %2, %x, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %4 = stablehlo.and %3, %3 : tensor<4x8xi1>
  func.return %4 : tensor<4x8xi1>
}

// CHECK-LABEL: func.func @written_out
// CHECK-NEXT: snippets.convert_truncation %i
// CHECK-NEXT: snippets.multiply %x, %x
// CHECK-NEXT: snippets.scalar 0.0
// CHECK-NEXT: snippets.equal
// CHECK-NEXT: snippets.sign
// CHECK-NEXT: snippets.select
// CHECK-NEXT: snippets.maximum
// CHECK-NEXT: snippets.minimum
func.func @written_out(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %0 = stablehlo.convert %i : (tensor<4xi32>) -> tensor<4xf32>
  %1 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  %2 = stablehlo.sign %1 : tensor<4xf32>
  %3 = stablehlo.clamp %0, %2, %x : tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @halves
// CHECK-NEXT: snippets.round %x {mode = "half_away"} : tensor<4xf32>
// CHECK-NEXT: snippets.round %x : tensor<4xf32>
func.func @halves(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.round_nearest_afz %x : tensor<4xf32>
  %1 = stablehlo.round_nearest_even %x : tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @tangent
// CHECK-NEXT: [[T:%[0-9a-z]+]] = snippets.tan %x : tensor<4xf32>
// CHECK-NEXT: func.return [[T]]
func.func @tangent(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gamma
// CHECK-NEXT: [[L:%[0-9a-z]+]] = snippets.lgamma %x : tensor<4xf32>
// CHECK-NEXT: snippets.digamma [[L]] : tensor<4xf32>
// CHECK-NEXT: chlo.polygamma
func.func @gamma(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  %1 = chlo.digamma %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = chlo.polygamma %x, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  func.return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// An op of CHLO with no rule stays.
// CHECK-LABEL: func.func @zeta
// CHECK-NEXT: chlo.zeta
func.func @zeta(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = chlo.zeta %x, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @lowest
// CHECK-NEXT: func.return %x
func.func @lowest(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<4xf32>
  %0 = stablehlo.maximum %c, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @moved
// CHECK-NEXT: %[[I:.*]] = snippets.iota {dim = 1 : i64} : tensor<1x4xi32>
// CHECK-NEXT: %[[B:.*]] = snippets.broadcast %[[I]] : (tensor<1x4xi32>) -> tensor<2x4xi32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[B]]
// CHECK-NEXT: snippets.reshape %[[T]] : (tensor<4x2xi32>) -> tensor<8xi32>
func.func @moved() -> tensor<8xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x4xi32>) -> tensor<4x2xi32>
  %2 = stablehlo.reshape %1 : (tensor<4x2xi32>) -> tensor<8xi32>
  func.return %2 : tensor<8xi32>
}

// The largest i32 changes no minimum.
// CHECK-LABEL: func.func @smallest
// CHECK-NEXT: %[[R:.*]] = snippets.reduce_min %x {axes = array<i64: 1>}
// CHECK-NEXT: func.return %[[R]]
func.func @smallest(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  %c = stablehlo.constant dense<2147483647> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.minimum across dimensions = [1] : (tensor<4x8xi32>, tensor<i32>) -> tensor<4xi32>
  func.return %0 : tensor<4xi32>
}

// An initial value that counts; `or` of i1.
// CHECK-LABEL: func.func @reduced
// CHECK-NEXT: %[[C:.*]] = snippets.scalar 5.0
// CHECK-NEXT: %[[R:.*]] = snippets.reduce_max %x {axes = array<i64: 1>}
// CHECK-NEXT: snippets.maximum %[[R]], %[[C]]
// CHECK-NEXT: %[[N:.*]] = snippets.convert_truncation %p : (tensor<4x8xi1>) -> tensor<4x8xui32>
// CHECK-NEXT: snippets.reduce_max %[[N]]
func.func @reduced(%x: tensor<4x8xf32>, %p: tensor<4x8xi1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %c = stablehlo.constant dense<5.0> : tensor<f32>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%p init: %f) applies stablehlo.or across dimensions = [1] : (tensor<4x8xi1>, tensor<i1>) -> tensor<4xi1>
  func.return %0, %1 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @product
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %b {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT: snippets.matmul %a, %[[T]] : (tensor<7x4x8xf32>, tensor<7x8x5xf32>) -> tensor<7x4x5xf32>
func.func @product(%a: tensor<7x4x8xf32>, %b: tensor<7x5x8xf32>) -> tensor<7x4x5xf32> {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<7x4x8xf32>, tensor<7x5x8xf32>) -> tensor<7x4x5xf32>
  func.return %0 : tensor<7x4x5xf32>
}

// CHECK-LABEL: func.func @recognised
// CHECK-NEXT: %[[S:.*]] = snippets.swish %x
// CHECK-NEXT: %[[G:.*]] = snippets.gelu %[[S]]
// CHECK-NEXT: %[[M:.*]] = snippets.softmax %[[G]] {axis = 1 : i64}
// CHECK-NEXT: func.return %[[M]]
func.func @recognised(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4x8xf32>
  %0 = stablehlo.negate %x : tensor<4x8xf32>
  %1 = stablehlo.exponential %0 : tensor<4x8xf32>
  %2 = stablehlo.add %one, %1 : tensor<4x8xf32>
  %3 = stablehlo.divide %one, %2 : tensor<4x8xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<4x8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<4x8xf32>
  %root = stablehlo.constant dense<0.707106769> : tensor<4x8xf32>
  %5 = stablehlo.multiply %half, %4 : tensor<4x8xf32>
  %6 = stablehlo.negate %4 : tensor<4x8xf32>
  %7 = stablehlo.multiply %6, %root : tensor<4x8xf32>
  %8 = chlo.erfc %7 : tensor<4x8xf32> -> tensor<4x8xf32>
  %9 = stablehlo.multiply %5, %8 : tensor<4x8xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %10 = stablehlo.reduce(%9 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %13 = stablehlo.subtract %9, %12 : tensor<4x8xf32>
  %14 = stablehlo.exponential %13 : tensor<4x8xf32>
  %15 = stablehlo.reduce(%14 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
  %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x8xf32>
  %18 = stablehlo.divide %14, %17 : tensor<4x8xf32>
  func.return %18 : tensor<4x8xf32>
}

// Not a sigmoid: 2 + exp(-x); not a softmax: the sum of another value.
// CHECK-LABEL: func.func @not_recognised
// CHECK-NOT: snippets.sigmoid
// CHECK-NOT: snippets.softmax
// CHECK: func.return
func.func @not_recognised(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<4x8xf32>
  %two = stablehlo.constant dense<2.0> : tensor<4x8xf32>
  %0 = stablehlo.negate %x : tensor<4x8xf32>
  %1 = stablehlo.exponential %0 : tensor<4x8xf32>
  %2 = stablehlo.add %two, %1 : tensor<4x8xf32>
  %3 = stablehlo.divide %one, %2 : tensor<4x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.divide %1, %5 : tensor<4x8xf32>
  func.return %3, %6 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A barrier is its operands; one in a region stays with its op.
// CHECK-LABEL: func.func @barrier
// CHECK-NEXT: %[[E:.*]] = snippets.exp %x : tensor<4xf32>
// CHECK-NEXT: snippets.add %[[E]], %y : tensor<4xf32>
// CHECK-NEXT: "stablehlo.case"(%i)
// CHECK: stablehlo.optimization_barrier %x : tensor<4xf32>
func.func @barrier(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.exponential %x : tensor<4xf32>
  %1:2 = stablehlo.optimization_barrier %0, %y : tensor<4xf32>, tensor<4xf32>
  %2 = stablehlo.add %1#0, %1#1 : tensor<4xf32>
  %3 = "stablehlo.case"(%i) ({
    %4 = stablehlo.optimization_barrier %x : tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  func.return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// Left with a reason: no rule, an unsigned shift; ops of regions stay as they are.
// CHECK-LABEL: func.func @left
// CHECK: stablehlo.pad {{.*}}snippets.reason = "no rule of convert-stablehlo-to-snippets takes stablehlo.pad"
// CHECK-NEXT: stablehlo.shift_right_arithmetic
// CHECK: stablehlo.reduce
// CHECK: stablehlo.subtract
func.func @left(%x: tensor<4xf32>, %u: tensor<4xui32>, %v: tensor<f32>) -> (tensor<8xf32>, tensor<4xui32>, tensor<f32>) {
  %0 = stablehlo.pad %x, %v, low = [0], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.shift_right_arithmetic %u, %u : tensor<4xui32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%x init: %zero) applies stablehlo.subtract across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  func.return %0, %2, %3 : tensor<8xf32>, tensor<4xui32>, tensor<f32>
}

// Comparisons in the total order are of bits; others of floats are not.
// CHECK-LABEL: func.func @total_order
// CHECK-NEXT: %[[X:.*]] = snippets.bitcast %x : (tensor<4xf32>) -> tensor<4xi32>
// CHECK-NEXT: %[[N:.*]] = snippets.scalar 31 : i32
// CHECK-NEXT: %[[M:.*]] = snippets.scalar 2147483647 : i32
// CHECK-NEXT: %[[S:.*]] = snippets.bitwise_right_shift %[[X]], %[[N]]
// CHECK-NEXT: %[[A:.*]] = snippets.bitwise_and %[[S]], %[[M]]
// CHECK-NEXT: %[[L:.*]] = snippets.bitwise_xor %[[X]], %[[A]] : tensor<4xi32>
// CHECK: snippets.less %[[L]], %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
// CHECK-NEXT: snippets.less %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @total_order(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  func.return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// Joins and pads; what is cut off is a slice.
// CHECK-LABEL: func.func @joins
// CHECK-NEXT: snippets.concat %x, %y {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: snippets.pad %x, %v {low = array<i64: 1, 0>, high = array<i64: 0, 2>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x10xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.slice %x {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<3x6xf32>
// CHECK-NEXT: snippets.pad %[[S]], %v {low = array<i64: 0, 0>, high = array<i64: 3, 0>} : (tensor<3x6xf32>, tensor<f32>) -> tensor<6x6xf32>
// CHECK-NEXT: stablehlo.pad
func.func @joins(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>, %v: tensor<f32>) -> (tensor<6x8xf32>, tensor<5x10xf32>, tensor<6x6xf32>, tensor<2x8xf32>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
  %1 = stablehlo.pad %x, %v, low = [1, 0], high = [0, 2], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x10xf32>
  %2 = stablehlo.pad %x, %v, low = [-1, 0], high = [3, -2], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<6x6xf32>
  %3 = stablehlo.pad %x, %v, low = [-5, 0], high = [3, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  func.return %0, %1, %2, %3 : tensor<6x8xf32>, tensor<5x10xf32>, tensor<6x6xf32>, tensor<2x8xf32>
}

// Places that are constants, moved inside of the operand; a slice at another place stays one.
// CHECK-LABEL: func.func @known_places
// CHECK: snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<2x3xf32>
// CHECK: %[[L:.*]] = snippets.slice %x {starts = array<i64: 2, 0>, {{.*}} -> tensor<2x5xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.concat %[[L]], %u {axis = 1 : i64}
// CHECK-NEXT: %[[T:.*]] = snippets.slice %x {starts = array<i64: 0, 0>, {{.*}} -> tensor<2x8xf32>
// CHECK-NEXT: %[[W:.*]] = snippets.concat %[[T]], %[[R]] {axis = 0 : i64}
// CHECK: %[[D:.*]] = snippets.dynamic_slice %x, %{{.*}}, %i {axes = array<i64: 0, 1>}
// CHECK-NEXT: func.return %{{.*}}, %[[W]], %x2, %[[D]]
func.func @known_places(%x: tensor<4x8xf32>, %u: tensor<2x3xf32>, %x2: tensor<2x3xf32>, %i: tensor<i32>) -> (tensor<2x3xf32>, tensor<4x8xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %far = stablehlo.constant dense<9> : tensor<i32>
  %before = stablehlo.constant dense<-1> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %far, %before, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %far, %far : (tensor<4x8xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %2 = stablehlo.dynamic_update_slice %u, %x2, %far, %far : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %3 = stablehlo.dynamic_slice %x, %far, %i, sizes = [2, 3] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  func.return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<4x8xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// Slices, reversed ones too; one without elements stays.
// CHECK-LABEL: func.func @slices
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 1, 0>, steps = array<i64: 1, 2>} : (tensor<4x8xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: snippets.slice %x {starts = array<i64: 3, 0>, steps = array<i64: -1, 1>} : tensor<4x8xf32>
// CHECK-NEXT: stablehlo.slice %x [1:1, 0:8]
func.func @slices(%x: tensor<4x8xf32>) -> (tensor<3x4xf32>, tensor<4x8xf32>, tensor<0x8xf32>) {
  %0 = stablehlo.slice %x [1:4, 0:8:2] : (tensor<4x8xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.reverse %x, dims = [0] : tensor<4x8xf32>
  %2 = stablehlo.slice %x [1:1, 0:8] : (tensor<4x8xf32>) -> tensor<0x8xf32>
  func.return %0, %1, %2 : tensor<3x4xf32>, tensor<4x8xf32>, tensor<0x8xf32>
}

// A logical shift to the right is one of unsigned integers; an arithmetic one of these is left, above.
// CHECK-LABEL: func.func @logical_shifts
// CHECK-NEXT: [[X:%.+]] = snippets.convert_truncation %x : (tensor<4xi32>) -> tensor<4xui32>
// CHECK-NEXT: [[Y:%.+]] = snippets.convert_truncation %y : (tensor<4xi32>) -> tensor<4xui32>
// CHECK-NEXT: [[S:%.+]] = snippets.bitwise_right_shift [[X]], [[Y]] : tensor<4xui32>
// CHECK-NEXT: snippets.convert_truncation [[S]] : (tensor<4xui32>) -> tensor<4xi32>
// CHECK-NEXT: snippets.bitwise_right_shift %u, %u : tensor<4xui8>
// CHECK-NEXT: stablehlo.shift_right_logical %b, %b
func.func @logical_shifts(%x: tensor<4xi32>, %y: tensor<4xi32>, %u: tensor<4xui8>, %b: tensor<4xi1>) -> (tensor<4xi32>, tensor<4xui8>, tensor<4xi1>) {
  %0 = stablehlo.shift_right_logical %x, %y : tensor<4xi32>
  %1 = stablehlo.shift_right_logical %u, %u : tensor<4xui8>
  %2 = stablehlo.shift_right_logical %b, %b : tensor<4xi1>
  func.return %0, %1, %2 : tensor<4xi32>, tensor<4xui8>, tensor<4xi1>
}
