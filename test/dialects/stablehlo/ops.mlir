// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// Every form in which jaxlib prints an op; the generic form parses to the same text.

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<4x8xf32>, %p: tensor<4x8xi1>, %s: tensor<f32>, %i: tensor<4x8xi32>) {
  // CHECK: %{{.*}} = stablehlo.exponential %x : tensor<4x8xf32>
  %0 = stablehlo.exponential %x : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.add %x, %x {note = "kept"} : tensor<4x8xf32>
  %1 = stablehlo.add %x, %x {note = "kept"} : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.convert %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  %2 = stablehlo.convert %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  // CHECK-NEXT: %{{.*}} = stablehlo.bitcast_convert %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  %bits = stablehlo.bitcast_convert %x : (tensor<4x8xf32>) -> tensor<4x8xi32>
  // CHECK-NEXT: %{{.*}} = stablehlo.bitcast_convert %x : (tensor<4x8xf32>) -> tensor<4x8x2xi16>
  %halves = stablehlo.bitcast_convert %x : (tensor<4x8xf32>) -> tensor<4x8x2xi16>
  // CHECK-NEXT: %{{.*}} = stablehlo.compare LT, %x, %x, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %3 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK-NEXT: %{{.*}} = stablehlo.compare EQ, %i, %i : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
  %4 = stablehlo.compare EQ, %i, %i : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi1>
  // CHECK-NEXT: %{{.*}} = stablehlo.select %p, %x, %x : tensor<4x8xi1>, tensor<4x8xf32>
  %5 = stablehlo.select %p, %x, %x : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %6 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = chlo.erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %7 = chlo.erf %x : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}}, %{{.*}} = chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  %8, %9 = chlo.top_k(%x, k = 3) : tensor<4x8xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)
  func.return
}

// CHECK-LABEL: func.func @barriers
func.func @barriers(%x: tensor<4x8xf32>, %i: tensor<i32>) {
  // CHECK: %{{.*}}, %{{.*}} = stablehlo.optimization_barrier %x, %i : tensor<4x8xf32>, tensor<i32>
  %0:2 = stablehlo.optimization_barrier %x, %i : tensor<4x8xf32>, tensor<i32>
  // CHECK-NEXT: stablehlo.optimization_barrier
  stablehlo.optimization_barrier
  func.return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<4x8xf32>, %s: tensor<f32>, %i: tensor<i32>, %rows: tensor<5x1xi32>) {
  // CHECK: %{{.*}} = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-NEXT: %{{.*}} = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %1 = stablehlo.iota dim = 1 : tensor<4x8xi32>
  // CHECK-NEXT: %{{.*}} = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %3 = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.reverse %x, dims = [0] : tensor<4x8xf32>
  %5 = stablehlo.reverse %x, dims = [0] : tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.slice %x [0:4:2, 1:8] : (tensor<4x8xf32>) -> tensor<2x7xf32>
  %6 = stablehlo.slice %x [0:4:2, 1:8] : (tensor<4x8xf32>) -> tensor<2x7xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.pad %x, %s, low = [1, 0], high = [2, -1], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<10x7xf32>
  %7 = stablehlo.pad %x, %s, low = [1, 0], high = [2, -1], interior = [1, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<10x7xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %8 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  %9 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 8] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.dynamic_update_slice %x, %9, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %10 = stablehlo.dynamic_update_slice %x, %9, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %{{.*}} = "stablehlo.gather"(%x, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  %11 = "stablehlo.gather"(%x, %rows) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<5x1xi32>) -> tensor<5x8xf32>
  func.return
}

// CHECK-LABEL: func.func @products
func.func @products(%a: tensor<7x4x8xf32>, %b: tensor<7x8x5xf32>, %x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // CHECK: %{{.*}} = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<7x4x8xf32>, tensor<7x8x5xf32>) -> tensor<7x4x5xf32>
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<7x4x8xf32>, tensor<7x8x5xf32>) -> tensor<7x4x5xf32>
  // CHECK-NEXT: %{{.*}} = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1]], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  func.return
}

// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<4x8xf32>, %s: tensor<f32>, %i: tensor<i32>) {
  // CHECK: %{{.*}} = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK-NEXT: %{{.*}}, %{{.*}} = stablehlo.reduce(%x init: %s), (%x init: %s) across dimensions = [0] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>) reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
  %1:2 = stablehlo.reduce(%x init: %s), (%x init: %s) across dimensions = [0] : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<f32>, %d: tensor<f32>) {
    // CHECK-NEXT: stablehlo.subtract %a, %d
    %e = stablehlo.subtract %a, %d : tensor<f32>
    // CHECK-NEXT: stablehlo.return %e, %b : tensor<f32>, tensor<f32>
    stablehlo.return %e, %b : tensor<f32>, tensor<f32>
  }
  %2 = stablehlo.while(%k = %i) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %k : tensor<i32>
  }
  // CHECK: stablehlo.case
  %3 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4x8xf32>
  }, {
    stablehlo.return %x : tensor<4x8xf32>
  }) : (tensor<i32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @outside(%x) {has_side_effect = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.custom_call @outside(%x) {has_side_effect = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// CHECK-LABEL: func.func @every_elementwise_op
func.func @every_elementwise_op(%x: tensor<4xf32>) {
  // CHECK: stablehlo.clamp %x, %x, %x : tensor<4xf32>
  %0 = stablehlo.clamp %x, %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.abs %x : tensor<4xf32>
  %1 = stablehlo.abs %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.cbrt %x : tensor<4xf32>
  %2 = stablehlo.cbrt %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.ceil %x : tensor<4xf32>
  %3 = stablehlo.ceil %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.convert %x : tensor<4xf32>
  %4 = stablehlo.convert %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.cosine %x : tensor<4xf32>
  %5 = stablehlo.cosine %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.count_leading_zeros %x : tensor<4xf32>
  %6 = stablehlo.count_leading_zeros %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.exponential %x : tensor<4xf32>
  %7 = stablehlo.exponential %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.exponential_minus_one %x : tensor<4xf32>
  %8 = stablehlo.exponential_minus_one %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.floor %x : tensor<4xf32>
  %9 = stablehlo.floor %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.imag %x : tensor<4xf32>
  %10 = stablehlo.imag %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.is_finite %x : tensor<4xf32>
  %11 = stablehlo.is_finite %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.log %x : tensor<4xf32>
  %12 = stablehlo.log %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.log_plus_one %x : tensor<4xf32>
  %13 = stablehlo.log_plus_one %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.logistic %x : tensor<4xf32>
  %14 = stablehlo.logistic %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.negate %x : tensor<4xf32>
  %15 = stablehlo.negate %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.not %x : tensor<4xf32>
  %16 = stablehlo.not %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.popcnt %x : tensor<4xf32>
  %17 = stablehlo.popcnt %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.real %x : tensor<4xf32>
  %18 = stablehlo.real %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.round_nearest_afz %x : tensor<4xf32>
  %19 = stablehlo.round_nearest_afz %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.round_nearest_even %x : tensor<4xf32>
  %20 = stablehlo.round_nearest_even %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.rsqrt %x : tensor<4xf32>
  %21 = stablehlo.rsqrt %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.sign %x : tensor<4xf32>
  %22 = stablehlo.sign %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.sine %x : tensor<4xf32>
  %23 = stablehlo.sine %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.sqrt %x : tensor<4xf32>
  %24 = stablehlo.sqrt %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.tan %x : tensor<4xf32>
  %25 = stablehlo.tan %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.tanh %x : tensor<4xf32>
  %26 = stablehlo.tanh %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.add %x, %x : tensor<4xf32>
  %27 = stablehlo.add %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.and %x, %x : tensor<4xf32>
  %28 = stablehlo.and %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.atan2 %x, %x : tensor<4xf32>
  %29 = stablehlo.atan2 %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.complex %x, %x : tensor<4xf32>
  %30 = stablehlo.complex %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.divide %x, %x : tensor<4xf32>
  %31 = stablehlo.divide %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.maximum %x, %x : tensor<4xf32>
  %32 = stablehlo.maximum %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.minimum %x, %x : tensor<4xf32>
  %33 = stablehlo.minimum %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.multiply %x, %x : tensor<4xf32>
  %34 = stablehlo.multiply %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.or %x, %x : tensor<4xf32>
  %35 = stablehlo.or %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.power %x, %x : tensor<4xf32>
  %36 = stablehlo.power %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.remainder %x, %x : tensor<4xf32>
  %37 = stablehlo.remainder %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.shift_left %x, %x : tensor<4xf32>
  %38 = stablehlo.shift_left %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.shift_right_arithmetic %x, %x : tensor<4xf32>
  %39 = stablehlo.shift_right_arithmetic %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.shift_right_logical %x, %x : tensor<4xf32>
  %40 = stablehlo.shift_right_logical %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.subtract %x, %x : tensor<4xf32>
  %41 = stablehlo.subtract %x, %x : tensor<4xf32>
  // CHECK-NEXT: stablehlo.xor %x, %x : tensor<4xf32>
  %42 = stablehlo.xor %x, %x : tensor<4xf32>
  func.return
}

// CHECK-LABEL: func.func @generic_forms
func.func @generic_forms(%x: tensor<4x8xf32>, %i: tensor<4x1xi32>, %s: tensor<f32>, %p: tensor<i1>) {
  // CHECK: "stablehlo.if"(%p)
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4x8xf32>
  }, {
    stablehlo.return %x : tensor<4x8xf32>
  }) : (tensor<i1>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 2, 2>}>
  %1 = "stablehlo.reduce_window"(%x, %s) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x7xf32>
  // CHECK: "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}>
  %2 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %l = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %l : tensor<i1>
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: "stablehlo.scatter"(%x, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}>
  %3 = "stablehlo.scatter"(%x, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %t = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<4x1xi32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}
