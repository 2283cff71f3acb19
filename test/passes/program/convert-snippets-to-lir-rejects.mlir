// RUN: snippets-opt %s -p convert-snippets-to-lir --split-input-file --verify-diagnostics

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    // expected-error @+1 {{snippets.relu has dynamic dims (tensor<?xf32>)}}
    %0 = snippets.relu %a : tensor<?xf32>
    snippets.yield %0 : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// -----

func.func @reshape(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<2x4xf32> {
    %0 = snippets.exp %a : tensor<8xf32>
    // expected-error @+1 {{K4: snippets.reshape stands between other ops}}
    %1 = snippets.reshape %0 : (tensor<8xf32>) -> tensor<2x4xf32>
    %2 = snippets.relu %1 : tensor<2x4xf32>
    snippets.yield %2 : tensor<2x4xf32>
  }
  func.return %r : tensor<2x4xf32>
}

// -----

func.func @transpose(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<4x8xf32> {
    %0 = snippets.exp %a : tensor<8x4xf32>
    // expected-error @+1 {{K5: snippets.transpose reads a computed value}}
    %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    snippets.yield %1 : tensor<4x8xf32>
  }
  func.return %r : tensor<4x8xf32>
}

// -----

func.func @dims_dropped(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<8xf32> {
    // expected-error @+1 {{K3: snippets.reduce_sum drops its dims}}
    %0 = snippets.reduce_sum %a {axes = array<i64: 1>} : (tensor<8x4xf32>) -> tensor<8xf32>
    snippets.yield %0 : tensor<8xf32>
  }
  func.return %r : tensor<8xf32>
}

// -----

func.func @not_core(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
    // expected-error @+1 {{K1: snippets.softmax is not decomposed; run snippets-decompose-softmax first}}
    %0 = snippets.softmax %a {axis = 1 : i64} : tensor<8x4xf32>
    snippets.yield %0 : tensor<8x4xf32>
  }
  func.return %r : tensor<8x4xf32>
}

// -----

func.func @without_kernel(%x: tensor<8x4xf32>) -> tensor<8xi64> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<8xi64> {
    // expected-error @+1 {{K1: snippets.arg_max has no kernel: snippets-decompose-arg-reductions has not decomposed it}}
    %0 = snippets.arg_max %a {axis = 1 : i64} : (tensor<8x4xf32>) -> tensor<8xi64>
    snippets.yield %0 : tensor<8xi64>
  }
  func.return %r : tensor<8xi64>
}

// -----

func.func @backwards(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
    // expected-error @+1 {{K10: snippets.cum_sum is exclusive: snippets-decompose-cumulative has not decomposed it}}
    %0 = snippets.cum_sum %a {axis = 1 : i64, exclusive, reverse} : tensor<8x4xf32>
    snippets.yield %0 : tensor<8x4xf32>
  }
  func.return %r : tensor<8x4xf32>
}

// -----

func.func @along_two_dims(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
    // expected-error @+1 {{K10: snippets.cum_max is beside snippets.cum_sum; keep one of them outside of the subgraph}}
    %0 = snippets.cum_sum %a {axis = 1 : i64} : tensor<8x4xf32>
    %1 = snippets.cum_max %0 {axis = 0 : i64} : tensor<8x4xf32>
    snippets.yield %1 : tensor<8x4xf32>
  }
  func.return %r : tensor<8x4xf32>
}

// -----

func.func @beside_a_sum_of_another_dim(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
    %s = snippets.reduce_sum %a {axes = array<i64: 0>, keep_dims} : (tensor<8x4xf32>) -> tensor<1x4xf32>
    %d = snippets.add %a, %s : (tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
    // expected-error @+1 {{K10: snippets.reduce_sum is beside snippets.cum_sum; keep one of them outside of the subgraph}}
    %0 = snippets.cum_sum %d {axis = 1 : i64} : tensor<8x4xf32>
    snippets.yield %0 : tensor<8x4xf32>
  }
  func.return %r : tensor<8x4xf32>
}

// -----

func.func @constant() -> tensor<2xf32> {
  %r = snippets.subgraph () : () -> tensor<2xf32> {
    // expected-error @+1 {{snippets.constant has no element-wise meaning}}
    %0 = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
    snippets.yield %0 : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// -----

// The right operand is computed.
func.func @computed_operand(%x: tensor<4x6xf32>, %y: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
    %0 = snippets.exp %b : tensor<6x5xf32>
    // expected-error @+1 {{K6: P2: the right operand of the matrix product is computed in its subgraph}}
    %1 = snippets.matmul %a, %0 : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    snippets.yield %1 : tensor<4x5xf32>
  }
  func.return %r : tensor<4x5xf32>
}

// -----

func.func @turned_prologue(%x: tensor<6x4xf32>, %y: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
    %0 = snippets.exp %a : tensor<6x4xf32>
    // expected-error @+1 {{K6: P5: a left operand is computed, and then transposed or reshaped}}
    %1 = snippets.matmul %0, %b {transpose_a} : (tensor<6x4xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    snippets.yield %1 : tensor<4x5xf32>
  }
  func.return %r : tensor<4x5xf32>
}

// -----

// Each matrix of the batch would compute it again.
func.func @shared_prologue(%x: tensor<4x6xf32>, %y: tensor<3x6x5xf32>) -> tensor<3x4x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32> {
    %0 = snippets.exp %a : tensor<4x6xf32>
    // expected-error @+1 {{K6: P5: a left operand that several matrices share is computed}}
    %1 = snippets.matmul %0, %b : (tensor<4x6xf32>, tensor<3x6x5xf32>) -> tensor<3x4x5xf32>
    snippets.yield %1 : tensor<3x4x5xf32>
  }
  func.return %r : tensor<3x4x5xf32>
}

// -----

// A reduction of columns needs all rows.
func.func @columns_before(%x: tensor<4x6xf32>, %y: tensor<6x5xf32>) -> tensor<4x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
    %m = snippets.reduce_max %a {axes = array<i64: 0>, keep_dims} : (tensor<4x6xf32>) -> tensor<1x6xf32>
    %0 = snippets.subtract %a, %m : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
    // expected-error @+1 {{K6: P3: snippets.reduce_max stands beside a matrix product}}
    %1 = snippets.matmul %0, %b : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    snippets.yield %1 : tensor<4x5xf32>
  }
  func.return %r : tensor<4x5xf32>
}

// -----

func.func @one_row_before(%x: tensor<1x6xf32>, %y: tensor<6x5xf32>) -> tensor<1x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x6xf32>, tensor<6x5xf32>) -> tensor<1x5xf32> {
    %0 = snippets.exp %a : tensor<1x6xf32>
    // expected-error @+1 {{K6: P4: a matrix product has fewer than two rows, columns or terms}}
    %1 = snippets.matmul %0, %b : (tensor<1x6xf32>, tensor<6x5xf32>) -> tensor<1x5xf32>
    snippets.yield %1 : tensor<1x5xf32>
  }
  func.return %r : tensor<1x5xf32>
}

// -----

// What the product reads is computed in blocks of rows; the op after it walks columns.
func.func @read_after(%x: tensor<4x6xf32>, %y: tensor<6x6xf32>) -> tensor<4x6xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32> {
    %0 = snippets.exp %a : tensor<4x6xf32>
    // expected-error @+1 {{K6: P5: more than the matrix product reads snippets.exp}}
    %1 = snippets.matmul %0, %b : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    %2 = snippets.add %1, %0 : tensor<4x6xf32>
    snippets.yield %2 : tensor<4x6xf32>
  }
  func.return %r : tensor<4x6xf32>
}

// -----

// Kernels hold reductions of rows only.
func.func @reduced(%x: tensor<4x6xf32>, %y: tensor<6x5xf32>) -> tensor<1x5xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<1x5xf32> {
    // expected-error @+1 {{K6: P3: snippets.reduce_sum stands beside a matrix product}}
    %0 = snippets.matmul %a, %b : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
    %1 = snippets.reduce_sum %0 {axes = array<i64: 0>, keep_dims} : (tensor<4x5xf32>) -> tensor<1x5xf32>
    snippets.yield %1 : tensor<1x5xf32>
  }
  func.return %r : tensor<1x5xf32>
}

// -----

func.func @three(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error @+1 {{K6: P4: a third matrix product stands beside two}}
    %0 = snippets.matmul %a, %a : tensor<4x4xf32>
    %1 = snippets.matmul %0, %a : tensor<4x4xf32>
    %2 = snippets.matmul %1, %a : tensor<4x4xf32>
    snippets.yield %2 : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// -----

func.func @apart(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error @+1 {{K6: P4: the left operand of the second matrix product does not follow from the first}}
    %0 = snippets.matmul %a, %a : tensor<4x4xf32>
    %1 = snippets.matmul %b, %a : tensor<4x4xf32>
    %2 = snippets.add %0, %1 : tensor<4x4xf32>
    snippets.yield %2 : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// -----

// Up to three products of one left operand stand side by side.
func.func @four(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-error @+1 {{K6: P4: more than 3 matrix products of one left operand}}
    %0 = snippets.matmul %a, %b : tensor<4x4xf32>
    %1 = snippets.matmul %a, %b : tensor<4x4xf32>
    %2 = snippets.matmul %a, %b : tensor<4x4xf32>
    %3 = snippets.matmul %a, %b : tensor<4x4xf32>
    %4 = snippets.add %0, %1 : tensor<4x4xf32>
    %5 = snippets.add %2, %3 : tensor<4x4xf32>
    %6 = snippets.add %4, %5 : tensor<4x4xf32>
    snippets.yield %6 : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// -----

func.func @read_twice(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %r, %s = snippets.subgraph (%a = %x) : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
    // expected-error @+1 {{K6: P4: more than the second matrix product reads snippets.matmul}}
    %0 = snippets.matmul %a, %a : tensor<4x4xf32>
    %1 = snippets.matmul %0, %a : tensor<4x4xf32>
    snippets.yield %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

func.func @one_row(%x: tensor<1x4xf32>, %y: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32> {
    // expected-error @+1 {{K6: P4: a matrix product has fewer than two rows, columns or terms}}
    %0 = snippets.matmul %a, %b : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    %1 = snippets.matmul %0, %b : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
    snippets.yield %1 : tensor<1x4xf32>
  }
  func.return %r : tensor<1x4xf32>
}
