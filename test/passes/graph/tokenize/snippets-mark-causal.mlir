// RUN: snippets-opt %s -p snippets-mark-causal --split-input-file | filecheck %s

// Selected, under a scale and a bias; the truth values are computed from constants.
// CHECK-LABEL: func.func @selected(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 1 : i64}
func.func @selected(%q: tensor<2x3x8xf32>, %k: tensor<2x4x8xf32>, %b: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %row = snippets.constant dense<[[1], [2], [3]]> : tensor<3x1xi32>
  %key = snippets.constant dense<[0, 1, 2, 3]> : tensor<4xi32>
  %m = snippets.less_equal %key, %row : (tensor<4xi32>, tensor<3x1xi32>) -> tensor<3x4xi1>
  %c = snippets.constant dense<0.5> : tensor<f32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x3x8xf32>, tensor<2x4x8xf32>) -> tensor<2x3x4xf32>
  %0 = snippets.multiply %s, %c : (tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %1 = snippets.select %m, %0, %low : (tensor<3x4xi1>, tensor<2x3x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %2 = snippets.add %1, %b : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  %p = snippets.softmax %2 {axis = 2 : i64} : tensor<2x3x4xf32>
  func.return %p : tensor<2x3x4xf32>
}

// -----

// Added; the smaller of two diagonals counts.
// CHECK-LABEL: func.func @added(
// CHECK: snippets.matmul %q, %k {snippets.diagonal = 0 : i64}
func.func @added(%q: tensor<3x8xf64>, %k: tensor<8x3xf64>) -> tensor<3x3xf64> {
  %m = snippets.constant dense<[[0.0, -1.0e300, -1.0e300], [0.0, 1.0, -1.0e300], [2.0, 0.0, 0.0]]> : tensor<3x3xf64>
  %n = snippets.constant dense<[[0.0, 0.0, -1.0e300], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf64>
  %s = snippets.matmul %q, %k : (tensor<3x8xf64>, tensor<8x3xf64>) -> tensor<3x3xf64>
  %0 = snippets.add %s, %n : tensor<3x3xf64>
  %1 = snippets.add %m, %0 : tensor<3x3xf64>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<3x3xf64>
  func.return %p : tensor<3x3xf64>
}

// -----

// Left: a mask that hides too little, one with a row of nothing, one of large numbers, one that
// spreads over rows.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: snippets.diagonal
func.func @others(%q: tensor<2x8xf32>, %k: tensor<8x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %m = snippets.constant dense<[[-1.0e4, -1.0e4], [0.0, 0.0]]> : tensor<2x2xf32>
  %s = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %0 = snippets.add %s, %m : tensor<2x2xf32>
  %p = snippets.softmax %0 {axis = 1 : i64} : tensor<2x2xf32>
  %m_1 = snippets.constant dense<[[0.0, -1.0e38], [-1.0e38, -1.0e38]]> : tensor<2x2xf32>
  %s_1 = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %1 = snippets.add %s_1, %m_1 : tensor<2x2xf32>
  %p_1 = snippets.softmax %1 {axis = 1 : i64} : tensor<2x2xf32>
  %m_2 = snippets.constant dense<[[true, true], [true, false]]> : tensor<2x2xi1>
  %low = snippets.constant dense<-1.0e4> : tensor<f32>
  %s_2 = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %2 = snippets.select %m_2, %s_2, %low : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %p_2 = snippets.softmax %2 {axis = 1 : i64} : tensor<2x2xf32>
  %m_3 = snippets.constant dense<[0.0, -1.0e38]> : tensor<2xf32>
  %s_3 = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %3 = snippets.add %s_3, %m_3 : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %p_3 = snippets.softmax %3 {axis = 1 : i64} : tensor<2x2xf32>
  func.return %p, %p_1, %p_2, %p_3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Left: scores that something else reads, an op after the mask that is no sum or select, and a
// softmax along the rows.
// CHECK-LABEL: func.func @readers(
// CHECK-NOT: snippets.diagonal
func.func @readers(%q: tensor<2x8xf32>, %k: tensor<8x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %m = snippets.constant dense<[[0.0, 0xFF800000], [0.0, 0.0]]> : tensor<2x2xf32>
  %s = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %0 = snippets.add %s, %m : tensor<2x2xf32>
  %p = snippets.softmax %0 {axis = 1 : i64} : tensor<2x2xf32>
  %s_1 = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %1 = snippets.add %s_1, %m : tensor<2x2xf32>
  %2 = snippets.negative %1 : tensor<2x2xf32>
  %p_1 = snippets.softmax %2 {axis = 1 : i64} : tensor<2x2xf32>
  %s_2 = snippets.matmul %q, %k : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
  %3 = snippets.add %s_2, %m : tensor<2x2xf32>
  %p_2 = snippets.softmax %3 {axis = 0 : i64} : tensor<2x2xf32>
  func.return %p, %p_1, %p_2, %s : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// Left: a vector on either side, whose scores have no rows.
// CHECK-LABEL: func.func @vectors(
// CHECK-NOT: snippets.diagonal
func.func @vectors(%q: tensor<2xf32>, %k: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>) {
  %m = snippets.constant dense<[0.0, 0xFF800000]> : tensor<2xf32>
  %s = snippets.matmul %q, %k : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  %0 = snippets.add %s, %m : tensor<2xf32>
  %p = snippets.softmax %0 {axis = 0 : i64} : tensor<2xf32>
  %s_1 = snippets.matmul %k, %q : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = snippets.add %s_1, %m : tensor<2xf32>
  %n = snippets.constant dense<0xFF800000> : tensor<f32>
  %s_2 = snippets.matmul %q, %q : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  %2 = snippets.add %s_2, %n : tensor<f32>
  func.return %p, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<f32>
}

// -----

// A mask without rows bounds nothing.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT: snippets.diagonal
func.func @empty(%q: tensor<2x0x8xf32>, %k: tensor<2x8x4xf32>) -> tensor<2x0x4xf32> {
  %m = snippets.constant dense<0.0> : tensor<0x4xf32>
  %s = snippets.matmul %q, %k : (tensor<2x0x8xf32>, tensor<2x8x4xf32>) -> tensor<2x0x4xf32>
  %0 = snippets.add %s, %m : (tensor<2x0x4xf32>, tensor<0x4xf32>) -> tensor<2x0x4xf32>
  %p = snippets.softmax %0 {axis = 2 : i64} : tensor<2x0x4xf32>
  func.return %p : tensor<2x0x4xf32>
}

// -----

// Places that a kernel counts, for numbers of rows and keys that a call decides. Left: keys that
// follow each row, a mask that hides the first row, and sums of other numbers than one.
// CHECK-LABEL: func.func @counted(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 2 : i64}
// CHECK-NOT: snippets.diagonal
func.func @counted(%q: tensor<?x8xf32, #lir.sizes<?0>>, %k: tensor<?x8xf32, #lir.sizes<?1>>) -> (tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>) {
  %one = snippets.scalar 1 : i32
  %two = snippets.scalar 2 : i32
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %r1 = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?0>>
  %r = snippets.cum_sum %r1 {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?0>>
  %row = snippets.reshape %r : (tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %later = snippets.add %row, %two : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<i32>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %k1 = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?1>>
  %key = snippets.cum_sum %k1 {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?1>>
  %after = snippets.add %key, %one : (tensor<?xi32, #lir.sizes<?1>>, tensor<i32>) -> tensor<?xi32, #lir.sizes<?1>>
  %k2 = snippets.broadcast %two : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?1>>
  %even = snippets.cum_sum %k2 {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?1>>
  %m_0 = snippets.less_equal %key, %row : (tensor<?xi32, #lir.sizes<?1>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?1>>
  %s_0 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %t_0 = snippets.select %m_0, %s_0, %low : (tensor<?x?xi1, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %p_0 = snippets.softmax %t_0 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %m_1 = snippets.less_equal %key, %later : (tensor<?xi32, #lir.sizes<?1>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?1>>
  %s_1 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %t_1 = snippets.select %m_1, %s_1, %low : (tensor<?x?xi1, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %p_1 = snippets.softmax %t_1 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %m_2 = snippets.greater_equal %key, %row : (tensor<?xi32, #lir.sizes<?1>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?1>>
  %s_2 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %t_2 = snippets.select %m_2, %s_2, %low : (tensor<?x?xi1, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %p_2 = snippets.softmax %t_2 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %m_3 = snippets.less_equal %after, %row : (tensor<?xi32, #lir.sizes<?1>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?1>>
  %s_3 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %t_3 = snippets.select %m_3, %s_3, %low : (tensor<?x?xi1, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %p_3 = snippets.softmax %t_3 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %m_4 = snippets.less_equal %even, %row : (tensor<?xi32, #lir.sizes<?1>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?1>>
  %s_4 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %t_4 = snippets.select %m_4, %s_4, %low : (tensor<?x?xi1, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
  %p_4 = snippets.softmax %t_4 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  func.return %p_0, %p_1, %p_2, %p_3, %p_4 : tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?1>>
}

// -----

// Rows after a cache of ?1 keys: the diagonal is a size that the call decides. Left: rows that may
// come before the first key.
// CHECK-LABEL: func.func @cached(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = #snippets.size<?1 : i64>}
// CHECK-NOT: snippets.diagonal
func.func @cached(%q: tensor<?x8xf32, #lir.sizes<?0>>, %k: tensor<?x8xf32, #lir.sizes<?0 + ?1>>) -> (tensor<?x?xf32, #lir.sizes<?0, ?0 + ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) {
  %one = snippets.scalar 1 : i32
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %ones = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?0 + ?1>>
  %key = snippets.cum_sum %ones {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?0 + ?1>>
  %all = snippets.reshape %key : (tensor<?xi32, #lir.sizes<?0 + ?1>>) -> tensor<?x1xi32, #lir.sizes<?0 + ?1>>
  %row = snippets.slice %all {starts = [#snippets.size<?1 : i64>, 0 : i64], steps = array<i64: 1, 1>} : (tensor<?x1xi32, #lir.sizes<?0 + ?1>>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %m_0 = snippets.less_equal %key, %row : (tensor<?xi32, #lir.sizes<?0 + ?1>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0 + ?1>>
  %s_0 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0 + ?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0 + ?1>>
  %t_0 = snippets.select %m_0, %s_0, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0 + ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?0 + ?1>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0 + ?1>>
  %p_0 = snippets.softmax %t_0 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0 + ?1>>
  %late = snippets.slice %key {starts = [#snippets.size<?1 : i64>], steps = array<i64: 1>} : (tensor<?xi32, #lir.sizes<?0 + ?1>>) -> tensor<?xi32, #lir.sizes<?0>>
  %first = snippets.slice %all {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<?x1xi32, #lir.sizes<?0 + ?1>>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %m_1 = snippets.less_equal %late, %first : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_1 = snippets.matmul %q, %q {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_1 = snippets.select %m_1, %s_1, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_1 = snippets.softmax %t_1 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  func.return %p_0, %p_1 : tensor<?x?xf32, #lir.sizes<?0, ?0 + ?1>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>
}

// -----

// Other masks, combined with the causal one before the scores: hidden keys have -inf whatever they
// are. The sum of the mask's rows gets the mark, too: the keys above the diagonal count 0.
// CHECK-LABEL: func.func @beside(
// CHECK: snippets.reduce_sum %{{.*}} {axes = array<i64: 1>, keep_dims, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
func.func @beside(%q: tensor<3x8xf32>, %k: tensor<3x8xf32>, %w: tensor<3xi1>, %b: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>) {
  %row = snippets.constant dense<[[0], [1], [2]]> : tensor<3x1xi32>
  %key = snippets.constant dense<[0, 1, 2]> : tensor<3xi32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %c = snippets.less_equal %key, %row : (tensor<3xi32>, tensor<3x1xi32>) -> tensor<3x3xi1>
  %x_0 = snippets.select %c, %b, %low : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %h = snippets.equal %x_0, %low : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xi1>
  %n = snippets.select %h, %zero, %one : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %count = snippets.reduce_sum %n {axes = array<i64: 1>, keep_dims} : (tensor<3x3xf32>) -> tensor<3x1xf32>
  %s_0 = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t_0 = snippets.add %s_0, %x_0 : tensor<3x3xf32>
  %p_0 = snippets.softmax %t_0 {axis = 1 : i64} : tensor<3x3xf32>
  %a = snippets.logical_and %c, %w : (tensor<3x3xi1>, tensor<3xi1>) -> tensor<3x3xi1>
  %s_1 = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t_1 = snippets.select %a, %s_1, %low : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %p_1 = snippets.softmax %t_1 {axis = 1 : i64} : tensor<3x3xf32>
  %d = snippets.logical_not %c : tensor<3x3xi1>
  %o = snippets.logical_or %d, %w : (tensor<3x3xi1>, tensor<3xi1>) -> tensor<3x3xi1>
  %s_2 = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t_2 = snippets.select %o, %low, %s_2 : (tensor<3x3xi1>, tensor<f32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %p_2 = snippets.softmax %t_2 {axis = 1 : i64} : tensor<3x3xf32>
  func.return %p_0, %p_1, %p_2, %count : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>
}

// -----

// Twins: a key that either mask keeps; a finite number, which all keys of a row may have; the larger
// of a bias and the mask; a count of the hidden keys.
// CHECK-LABEL: func.func @other_combinations(
// CHECK-NOT: snippets.diagonal
func.func @other_combinations(%q: tensor<3x8xf32>, %k: tensor<3x8xf32>, %w: tensor<3xi1>, %b: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>) {
  %row = snippets.constant dense<[[0], [1], [2]]> : tensor<3x1xi32>
  %key = snippets.constant dense<[0, 1, 2]> : tensor<3xi32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %least = snippets.constant dense<-1.0e38> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %c = snippets.less_equal %key, %row : (tensor<3xi32>, tensor<3x1xi32>) -> tensor<3x3xi1>
  %e = snippets.logical_or %c, %w : (tensor<3x3xi1>, tensor<3xi1>) -> tensor<3x3xi1>
  %s_0 = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t_0 = snippets.select %e, %s_0, %low : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %p_0 = snippets.softmax %t_0 {axis = 1 : i64} : tensor<3x3xf32>
  %a = snippets.logical_and %c, %w : (tensor<3x3xi1>, tensor<3xi1>) -> tensor<3x3xi1>
  %s_1 = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t_1 = snippets.select %a, %s_1, %least : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %p_1 = snippets.softmax %t_1 {axis = 1 : i64} : tensor<3x3xf32>
  %x = snippets.select %c, %zero, %low : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %y = snippets.maximum %x, %b : tensor<3x3xf32>
  %s_2 = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t_2 = snippets.add %s_2, %y : tensor<3x3xf32>
  %p_2 = snippets.softmax %t_2 {axis = 1 : i64} : tensor<3x3xf32>
  %n = snippets.select %a, %zero, %one : (tensor<3x3xi1>, tensor<f32>, tensor<f32>) -> tensor<3x3xf32>
  %count = snippets.reduce_sum %n {axes = array<i64: 1>, keep_dims} : (tensor<3x3xf32>) -> tensor<3x1xf32>
  func.return %p_0, %p_1, %p_2, %count : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>
}

// -----

// Ops after the softmax that keep a weight of 0.
// CHECK-LABEL: func.func @weights(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
func.func @weights(%q: tensor<3x8xf32>, %k: tensor<3x8xf32>, %w: tensor<3x3xf32>) -> tensor<3x8xf32> {
  %m = snippets.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t = snippets.select %m, %s, %low : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %p = snippets.softmax %t {axis = 1 : i64} : tensor<3x3xf32>
  %n = snippets.is_nan %p : (tensor<3x3xf32>) -> tensor<3x3xi1>
  %u = snippets.select %n, %zero, %p : (tensor<3x3xi1>, tensor<f32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %r = snippets.multiply %u, %w : tensor<3x3xf32>
  %o = snippets.matmul %r, %k : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  func.return %o : tensor<3x8xf32>
}

// -----

// Twin: a hidden key has a weight of 1.
// CHECK-LABEL: func.func @other_weights(
// CHECK-NOT: snippets.diagonal
func.func @other_weights(%q: tensor<3x8xf32>, %k: tensor<3x8xf32>, %w: tensor<3x3xf32>) -> tensor<3x8xf32> {
  %m = snippets.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t = snippets.select %m, %s, %low : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %p = snippets.softmax %t {axis = 1 : i64} : tensor<3x3xf32>
  %r = snippets.add %p, %one : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %o = snippets.matmul %r, %k : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  func.return %o : tensor<3x8xf32>
}

// -----

// Twin: a later select brings hidden scores back.
// CHECK-LABEL: func.func @selected_again(
// CHECK-NOT: snippets.diagonal
func.func @selected_again(%q: tensor<3x8xf32>, %k: tensor<3x8xf32>, %w: tensor<3x3xf32>) -> tensor<3x8xf32> {
  %m = snippets.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x3xf32>
  %t = snippets.select %m, %s, %low : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %c = snippets.greater %w, %zero : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xi1>
  %x = snippets.select %c, %t, %one : (tensor<3x3xi1>, tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>
  %r = snippets.softmax %x {axis = 1 : i64} : tensor<3x3xf32>
  %o = snippets.matmul %r, %k : (tensor<3x3xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  func.return %o : tensor<3x8xf32>
}

// -----

// A finite number below a bias of constants, which hides no key of a row.
// CHECK-LABEL: func.func @finite(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
func.func @finite(%q: tensor<2x8xf32>, %k: tensor<2x8xf32>) -> tensor<2x2xf32> {
  %m = snippets.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %b = snippets.constant dense<[-1.0, -1.0e4]> : tensor<2xf32>
  %low = snippets.constant dense<-1.0e38> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x2xf32>
  %0 = snippets.add %s, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = snippets.select %m, %0, %low : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<2x2xf32>
  func.return %p : tensor<2x2xf32>
}

// -----

// Twin: the bias is an input, which may be as low for all keys of a row; before and after the mask.
// CHECK-LABEL: func.func @finite_beside_an_input(
// CHECK-NOT: snippets.diagonal
func.func @finite_beside_an_input(%q: tensor<2x8xf32>, %k: tensor<2x8xf32>, %b: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %m = snippets.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
  %low = snippets.constant dense<-1.0e38> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x2xf32>
  %0 = snippets.add %s, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = snippets.select %m, %0, %low : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<2x2xf32>
  %t = snippets.matmul %k, %q {transpose_b} : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x2xf32>
  %2 = snippets.select %m, %t, %low : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %3 = snippets.add %2, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %r = snippets.softmax %3 {axis = 1 : i64} : tensor<2x2xf32>
  func.return %p, %r : tensor<2x2xf32>, tensor<2x2xf32>
}
