// RUN: snippets-opt %s -p convert-stablehlo-to-snippets --verify-each | filecheck %s

// The smaller of two integers and its index; the minimum is read as well.
// CHECK-LABEL: func.func @place
// CHECK-NEXT: %[[M:.*]] = snippets.reduce_min %x {axes = array<i64: 0>}
// CHECK-NEXT: %[[P:.*]] = snippets.arg_min %x {axis = 0 : i64} : (tensor<4x8xi32>) -> tensor<8xi64>
// CHECK-NEXT: func.return %[[M]], %[[P]]
func.func @place(%x: tensor<4x8xi32>) -> (tensor<8xi32>, tensor<8xi64>) {
  %i = stablehlo.iota dim = 0 : tensor<4x8xi64>
  %high = stablehlo.constant dense<2147483647> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = stablehlo.reduce(%x init: %high), (%i init: %zero) across dimensions = [0] : (tensor<4x8xi32>, tensor<4x8xi64>, tensor<i32>, tensor<i64>) -> (tensor<8xi32>, tensor<8xi64>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%j: tensor<i64>, %k: tensor<i64>) {
    %0 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = stablehlo.compare NE, %a, %a, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.or %0, %1 : tensor<i1>
    %3 = stablehlo.compare EQ, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %j, %k, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<i32>
    %8 = stablehlo.select %6, %j, %k : tensor<i1>, tensor<i64>
    stablehlo.return %7, %8 : tensor<i32>, tensor<i64>
  }
  func.return %r#0, %r#1 : tensor<8xi32>, tensor<8xi64>
}

// Indices that count along the other dim, and the last one of equal elements, are no place.
// CHECK-LABEL: func.func @no_place
// CHECK-COUNT-2: stablehlo.reduce(
// CHECK-NOT: snippets.arg
// CHECK: func.return
func.func @no_place(%x: tensor<4x8xf32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %i = stablehlo.iota dim = 0 : tensor<4x8xi32>
  %j = stablehlo.iota dim = 1 : tensor<4x8xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
    %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.or %0, %1 : tensor<i1>
    %3 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  %s:2 = stablehlo.reduce(%x init: %low), (%j init: %zero) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {
    %0 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.or %0, %1 : tensor<i1>
    %3 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.compare GT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.and %3, %4 : tensor<i1>
    %6 = stablehlo.or %2, %5 : tensor<i1>
    %7 = stablehlo.select %2, %a, %b : tensor<i1>, tensor<f32>
    %8 = stablehlo.select %6, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %7, %8 : tensor<f32>, tensor<i32>
  }
  func.return %r#1, %s#1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: func.func @cumulative_sums
// CHECK-NEXT: %[[A:.*]] = snippets.cum_sum %x {axis = 1 : i64}
// CHECK-NEXT: %[[B:.*]] = snippets.cum_sum %x {axis = 0 : i64, reverse}
// CHECK-NEXT: func.return %[[A]], %[[B]]
func.func @cumulative_sums(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 8>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 3], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 4, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %2 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @cumulative_others
// CHECK: %[[P:.*]] = snippets.cum_prod %x {axis = 0 : i64} : tensor<8xf32>
// CHECK: %[[M:.*]] = snippets.cum_max %x {axis = 0 : i64, reverse} : tensor<8xf32>
// CHECK: %[[N:.*]] = snippets.cum_min %i {axis = 0 : i64} : tensor<8xi8>
// CHECK-NEXT: func.return %[[P]], %[[M]], %[[N]]
func.func @cumulative_others(%x: tensor<8xf32>, %i: tensor<8xi8>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xi8>) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<127> : tensor<i8>
  %0 = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 8>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[0, 7]]> : tensor<1x2xi64>, window_dimensions = array<i64: 8>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = "stablehlo.reduce_window"(%i, %high) <{padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 8>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %3 = stablehlo.minimum %a, %b : tensor<i8>
    stablehlo.return %3 : tensor<i8>
  }) : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8>
  func.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xi8>
}

// Sums of fewer elements, from another initial value, and products from 0.
// CHECK-LABEL: func.func @other_windows
// CHECK-COUNT-3: "stablehlo.reduce_window"
// CHECK-NOT: snippets.cum_
// CHECK: func.return
func.func @other_windows(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[6, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 7>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 8>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 8>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  func.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
