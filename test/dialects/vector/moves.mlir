// RUN: snippets-opt %s --canonicalize | filecheck %s

// Moves that cancel are nothing; elements are found through moves.
// CHECK-LABEL: @cancel
// CHECK-NEXT: func.return %a, %s, %a, %b, %s : vector<4x8xf32>, f32, vector<4x8xf32>, vector<8xf32>, f32
func.func @cancel(%a: vector<4x8xf32>, %s: f32, %b: vector<8xf32>) -> (vector<4x8xf32>, f32, vector<4x8xf32>, vector<8xf32>, f32) {
  %0 = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %1 = vector.transpose %0, [1, 0] : vector<8x4xf32> to vector<4x8xf32>
  %2 = vector.broadcast %s : f32 to vector<4x8xf32>
  %3 = vector.extract %2[1, 2] : f32 from vector<4x8xf32>
  %4 = vector.shape_cast %a : vector<4x8xf32> to vector<32xf32>
  %5 = vector.shape_cast %4 : vector<32xf32> to vector<4x8xf32>
  %6 = vector.insert %b, %a [2] : vector<8xf32> into vector<4x8xf32>
  %7 = vector.extract %6[2] : vector<8xf32> from vector<4x8xf32>
  %8 = vector.from_elements %s, %s : vector<2xf32>
  %9 = vector.shuffle %8, %8 [1, 0] : vector<2xf32>, vector<2xf32>
  %10 = vector.extract %9[0] : f32 from vector<2xf32>
  func.return %1, %3, %5, %7, %10 : vector<4x8xf32>, f32, vector<4x8xf32>, vector<8xf32>, f32
}

// Moves of constants are constants, bit by bit.
// CHECK-LABEL: @constants
// CHECK-NEXT: %{{.*}} = arith.constant dense<[{{\[}}1.000000e+00, 3.000000e+00], {{\[}}-0.000000e+00, 4.000000e+00]]> : vector<2x2xf32>
// CHECK-NEXT: %{{.*}} = arith.constant 4.000000e+00 : f32
// CHECK-NEXT: func.return
func.func @constants() -> (vector<2x2xf32>, f32) {
  %c = arith.constant dense<[[1.0, -0.0], [3.0, 4.0]]> : vector<2x2xf32>
  %0 = vector.transpose %c, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  %1 = vector.extract %c[1, 1] : f32 from vector<2x2xf32>
  func.return %0, %1 : vector<2x2xf32>, f32
}

// Two moves of one kind are one.
// CHECK-LABEL: @compose
// CHECK-NEXT: vector.transpose %a, [2, 1, 0] : vector<2x3x4xf32> to vector<4x3x2xf32>
// CHECK-NEXT: vector.broadcast %s : f32 to vector<2x4xf32>
// CHECK-NEXT: vector.shape_cast %a : vector<2x3x4xf32> to vector<4x6xf32>
func.func @compose(%a: vector<2x3x4xf32>, %s: f32) -> (vector<4x3x2xf32>, vector<2x4xf32>, vector<4x6xf32>) {
  %0 = vector.transpose %a, [1, 0, 2] : vector<2x3x4xf32> to vector<3x2x4xf32>
  %1 = vector.transpose %0, [2, 0, 1] : vector<3x2x4xf32> to vector<4x3x2xf32>
  %2 = vector.broadcast %s : f32 to vector<4xf32>
  %3 = vector.broadcast %2 : vector<4xf32> to vector<2x4xf32>
  %4 = vector.shape_cast %a : vector<2x3x4xf32> to vector<24xf32>
  %5 = vector.shape_cast %4 : vector<24xf32> to vector<4x6xf32>
  func.return %1, %3, %5 : vector<4x3x2xf32>, vector<2x4xf32>, vector<4x6xf32>
}

// Does not fire: dynamic positions, rows without a value.
// CHECK-LABEL: @stays
// CHECK: vector.extract
// CHECK: vector.shuffle
func.func @stays(%s: f32, %i: index, %b: vector<8xf32>) -> (f32, vector<8xf32>) {
  %0 = vector.broadcast %s : f32 to vector<8xf32>
  %1 = vector.extract %0[%i] : f32 from vector<8xf32>
  %2 = vector.shuffle %b, %b [0, 1, 2, 3, 4, 5, 6, -1] : vector<8xf32>, vector<8xf32>
  func.return %1, %2 : f32, vector<8xf32>
}
