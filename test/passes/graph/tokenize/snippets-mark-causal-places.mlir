// RUN: snippets-opt %s -p snippets-mark-causal --split-input-file | filecheck %s

// Comparisons of places that a call counts: kept keys are below the next row, or hidden ones above it.
// CHECK-LABEL: func.func @comparisons(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
func.func @comparisons(%q: tensor<?x8xf32, #lir.sizes<?0>>, %k: tensor<?x8xf32, #lir.sizes<?0>>) -> (tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) {
  %one = snippets.constant dense<1> : tensor<i32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %ones = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?0>>
  %key = snippets.cum_sum %ones {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?0>>
  %row = snippets.reshape %key : (tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %next = snippets.add %row, %one : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<i32>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %last = snippets.subtract %row, %one : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<i32>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %m_0 = snippets.less %key, %next : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_0 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_0 = snippets.select %m_0, %s_0, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_0 = snippets.softmax %t_0 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_1 = snippets.greater %key, %row : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_1 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_1 = snippets.select %m_1, %low, %s_1 : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_1 = snippets.softmax %t_1 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_2 = snippets.less %row, %key : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_2 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_2 = snippets.select %m_2, %low, %s_2 : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_2 = snippets.softmax %t_2 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_3 = snippets.greater_equal %key, %next : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_3 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_3 = snippets.select %m_3, %low, %s_3 : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_3 = snippets.softmax %t_3 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_4 = snippets.less_equal %next, %key : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_4 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_4 = snippets.select %m_4, %low, %s_4 : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_4 = snippets.softmax %t_4 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_5 = snippets.greater %next, %key : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_5 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_5 = snippets.select %m_5, %s_5, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_5 = snippets.softmax %t_5 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_6 = snippets.less %key, %next : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_6 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_6 = snippets.select %m_6, %s_6, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_6 = snippets.softmax %t_6 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  func.return %p_0, %p_1, %p_2, %p_3, %p_4, %p_5, %p_6 : tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>
}

// -----

// Twins: the first row keeps no key; the kept keys are above the row.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: snippets.diagonal
func.func @others(%q: tensor<?x8xf32, #lir.sizes<?0>>, %k: tensor<?x8xf32, #lir.sizes<?0>>) -> (tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) {
  %one = snippets.constant dense<1> : tensor<i32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %ones = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?0>>
  %key = snippets.cum_sum %ones {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?0>>
  %row = snippets.reshape %key : (tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %next = snippets.add %row, %one : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<i32>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %last = snippets.subtract %row, %one : (tensor<?x1xi32, #lir.sizes<?0>>, tensor<i32>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %m_0 = snippets.less %key, %row : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_0 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_0 = snippets.select %m_0, %s_0, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_0 = snippets.softmax %t_0 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_1 = snippets.greater %key, %last : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_1 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_1 = snippets.select %m_1, %low, %s_1 : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_1 = snippets.softmax %t_1 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_2 = snippets.greater %key, %row : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_2 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_2 = snippets.select %m_2, %s_2, %low : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_2 = snippets.softmax %t_2 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %m_3 = snippets.less %key, %next : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %s_3 = snippets.matmul %q, %k {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %t_3 = snippets.select %m_3, %low, %s_3 : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %p_3 = snippets.softmax %t_3 {axis = 1 : i64} : tensor<?x?xf32, #lir.sizes<?0, ?0>>
  func.return %p_0, %p_1, %p_2, %p_3 : tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>, tensor<?x?xf32, #lir.sizes<?0, ?0>>
}

// -----

// A number is repeated to the sizes of the mask, and a mask to the batches of the scores.
// CHECK-LABEL: func.func @repeated(
// CHECK: snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64}
func.func @repeated(%q: tensor<2x?x8xf32, #lir.sizes<?0>>, %k: tensor<2x?x8xf32, #lir.sizes<?0>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?0>> {
  %one = snippets.constant dense<1> : tensor<i32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %ones = snippets.broadcast %one : (tensor<i32>) -> tensor<?xi32, #lir.sizes<?0>>
  %key = snippets.cum_sum %ones {axis = 0 : i64} : tensor<?xi32, #lir.sizes<?0>>
  %row = snippets.reshape %key : (tensor<?xi32, #lir.sizes<?0>>) -> tensor<?x1xi32, #lir.sizes<?0>>
  %c = snippets.less_equal %key, %row : (tensor<?xi32, #lir.sizes<?0>>, tensor<?x1xi32, #lir.sizes<?0>>) -> tensor<?x?xi1, #lir.sizes<?0, ?0>>
  %f = snippets.broadcast %low : (tensor<f32>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %a = snippets.select %c, %zero, %f : (tensor<?x?xi1, #lir.sizes<?0, ?0>>, tensor<f32>, tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<?x?xf32, #lir.sizes<?0, ?0>>
  %b = snippets.broadcast %a : (tensor<?x?xf32, #lir.sizes<?0, ?0>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x?x8xf32, #lir.sizes<?0>>, tensor<2x?x8xf32, #lir.sizes<?0>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
  %t = snippets.add %s, %b : tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
  %p = snippets.softmax %t {axis = 2 : i64} : tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
  func.return %p : tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
}
