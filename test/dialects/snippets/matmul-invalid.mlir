// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// Operands that have no product, and wrong results.

func.func @c2_two_types(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error @+1 {{C2: snippets.matmul expects operands of one element type, found f32, f64; insert a snippets.convert_truncation}}
  %0 = snippets.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @c3_truth_values(%a: tensor<2x3xi1>, %b: tensor<3x4xi1>) {
  // expected-error @+1 {{C3: snippets.matmul expects float or integer elements, found i1}}
  %0 = snippets.matmul %a, %b : (tensor<2x3xi1>, tensor<3x4xi1>) -> tensor<2x4xi1>
  func.return
}

// -----

func.func @c5_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{C5: snippets.matmul expects a result of shape 2x4, found 4x2}}
  %0 = snippets.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @c6_element(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{C6: snippets.matmul expects a result of f32, found f64}}
  %0 = snippets.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf64>
  func.return
}

// -----

func.func @c7_transposed_vector(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{C7: snippets.matmul expects no transpose of an operand of rank 1, found 3 and 3x4 with transpose_a}}
  %0 = snippets.matmul %a, %b {transpose_a} : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c9_scalar(%a: tensor<f32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{C9: snippets.matmul expects operands of rank 1 or more, found scalar and 3x4}}
  %0 = snippets.matmul %a, %b : (tensor<f32>, tensor<3x4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c9_inner(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{C9: snippets.matmul expects equal inner sizes, found 2x3 and 4x3: 3 and 4}}
  %0 = snippets.matmul %a, %b : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @c9_inner_of_one(%a: tensor<2x1xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{C9: snippets.matmul expects equal inner sizes, found 2x1 and 4x3: 1 and 4}}
  %0 = snippets.matmul %a, %b : (tensor<2x1xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @c9_inner_transposed(%a: tensor<2x?xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+1 {{C9: snippets.matmul expects equal inner sizes, found 2x? and 4x3 with transpose_a and transpose_b: 2 and 3}}
  %0 = snippets.matmul %a, %b {transpose_a, transpose_b} : (tensor<2x?xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  func.return
}

// -----

func.func @c9_batch(%a: tensor<2x5x3xf32>, %b: tensor<4x3x5xf32>) {
  // expected-error @+1 {{C9: snippets.matmul expects batch dims that broadcast, found 2x5x3 and 4x3x5}}
  %0 = snippets.matmul %a, %b : (tensor<2x5x3xf32>, tensor<4x3x5xf32>) -> tensor<2x5x5xf32>
  func.return
}
