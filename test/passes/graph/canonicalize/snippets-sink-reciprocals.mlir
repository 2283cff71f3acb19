// RUN: snippets-opt %s -p snippets-sink-reciprocals --check-each --split-input-file | filecheck %s

// The reciprocals of the sums multiply the result; batches broadcast.
// CHECK-LABEL: func.func @fires(
// CHECK: %[[E:.*]] = snippets.exp
// CHECK: %[[R:.*]] = snippets.divide
// CHECK-NEXT: %[[Z:.*]] = snippets.matmul %[[E]], %b : (tensor<9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
// CHECK-NEXT: %[[Y:.*]] = snippets.multiply %[[Z]], %[[R]] : (tensor<2x9x5xf32>, tensor<9x1xf32>) -> tensor<2x9x5xf32>
// CHECK-NEXT: snippets.yield %[[Y]]
func.func @fires(%x: tensor<9x7xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x9x5xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %v) : (tensor<9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32> {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
    %d = snippets.subtract %a, %m : (tensor<9x7xf32>, tensor<9x1xf32>) -> tensor<9x7xf32>
    %e = snippets.exp %d : tensor<9x7xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
    %c = snippets.scalar 1.0 : f32
    %r = snippets.divide %c, %s : (tensor<f32>, tensor<9x1xf32>) -> tensor<9x1xf32>
    %p = snippets.multiply %e, %r : (tensor<9x7xf32>, tensor<9x1xf32>) -> tensor<9x7xf32>
    %y = snippets.matmul %p, %b : (tensor<9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
    snippets.yield %y : tensor<2x9x5xf32>
  }
  func.return %0 : tensor<2x9x5xf32>
}

// -----

// The factors may be in the other order, in f64; sizes of the call are taken to fit.
// CHECK-LABEL: func.func @swapped(
// CHECK: %[[E:.*]] = snippets.exp
// CHECK: %[[R:.*]] = snippets.divide
// CHECK-NEXT: %[[Z:.*]] = snippets.matmul %[[E]], %b {transpose_b}
// CHECK-NEXT: snippets.multiply %[[Z]], %[[R]] : (tensor<?x50xf64>, tensor<?x1xf64>) -> tensor<?x50xf64>
func.func @swapped(%x: tensor<?x?xf64>, %v: tensor<50x?xf64>) -> tensor<?x50xf64> {
  %0 = snippets.subgraph (%a = %x, %b = %v) : (tensor<?x?xf64>, tensor<50x?xf64>) -> tensor<?x50xf64> {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<?x?xf64>) -> tensor<?x1xf64>
    %d = snippets.subtract %a, %m : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
    %e = snippets.exp %d : tensor<?x?xf64>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<?x?xf64>) -> tensor<?x1xf64>
    %c = snippets.scalar 1.0 : f64
    %r = snippets.divide %c, %s : (tensor<f64>, tensor<?x1xf64>) -> tensor<?x1xf64>
    %p = snippets.multiply %r, %e : (tensor<?x1xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    %y = snippets.matmul %p, %b {transpose_b} : (tensor<?x?xf64>, tensor<50x?xf64>) -> tensor<?x50xf64>
    snippets.yield %y : tensor<?x50xf64>
  }
  func.return %0 : tensor<?x50xf64>
}

// -----

// (N1) A transposed operand has a number for each term. (N2) A sum of other elements may be 0.
// (N3) Eight columns are more than seven terms.
// CHECK-LABEL: func.func @stays(
// CHECK: snippets.matmul %{{.*}}, %b {transpose_a}
// CHECK: %[[Q:.*]] = snippets.multiply %a
// CHECK-NEXT: snippets.matmul %[[Q]]
// CHECK: %[[P:.*]] = snippets.multiply
// CHECK-NEXT: %[[Y:.*]] = snippets.matmul %[[P]], %w
// CHECK-NEXT: snippets.yield
func.func @stays(%x: tensor<7x7xf32>, %v: tensor<7x5xf32>, %u: tensor<7x8xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x8xf32>) {
  %0, %1, %2 = snippets.subgraph (%a = %x, %b = %v, %w = %u) : (tensor<7x7xf32>, tensor<7x5xf32>, tensor<7x8xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x8xf32>) {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<7x7xf32>) -> tensor<7x1xf32>
    %d = snippets.subtract %a, %m : (tensor<7x7xf32>, tensor<7x1xf32>) -> tensor<7x7xf32>
    %e = snippets.exp %d : tensor<7x7xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<7x7xf32>) -> tensor<7x1xf32>
    %c = snippets.scalar 1.0 : f32
    %r = snippets.divide %c, %s : (tensor<f32>, tensor<7x1xf32>) -> tensor<7x1xf32>
    %p = snippets.multiply %e, %r : (tensor<7x7xf32>, tensor<7x1xf32>) -> tensor<7x7xf32>
    %y = snippets.matmul %p, %b {transpose_a} : (tensor<7x7xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
    %t = snippets.reduce_sum %a {axes = array<i64: 1>, keep_dims} : (tensor<7x7xf32>) -> tensor<7x1xf32>
    %i = snippets.divide %c, %t : (tensor<f32>, tensor<7x1xf32>) -> tensor<7x1xf32>
    %q = snippets.multiply %a, %i : (tensor<7x7xf32>, tensor<7x1xf32>) -> tensor<7x7xf32>
    %z = snippets.matmul %q, %b : (tensor<7x7xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
    %o = snippets.multiply %e, %r : (tensor<7x7xf32>, tensor<7x1xf32>) -> tensor<7x7xf32>
    %h = snippets.matmul %o, %w : (tensor<7x7xf32>, tensor<7x8xf32>) -> tensor<7x8xf32>
    snippets.yield %y, %z, %h : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x8xf32>
  }
  func.return %0, %1, %2 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x8xf32>
}

// -----

// (N2) The softmax is a result, too.
// CHECK-LABEL: func.func @read_again(
// CHECK: %[[P:.*]] = snippets.multiply
// CHECK-NEXT: snippets.matmul %[[P]]
func.func @read_again(%x: tensor<9x7xf32>, %v: tensor<7x5xf32>) -> (tensor<9x7xf32>, tensor<9x5xf32>) {
  %0, %1 = snippets.subgraph (%a = %x, %b = %v) : (tensor<9x7xf32>, tensor<7x5xf32>) -> (tensor<9x7xf32>, tensor<9x5xf32>) {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
    %d = snippets.subtract %a, %m : (tensor<9x7xf32>, tensor<9x1xf32>) -> tensor<9x7xf32>
    %e = snippets.exp %d : tensor<9x7xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
    %c = snippets.scalar 1.0 : f32
    %r = snippets.divide %c, %s : (tensor<f32>, tensor<9x1xf32>) -> tensor<9x1xf32>
    %p = snippets.multiply %e, %r : (tensor<9x7xf32>, tensor<9x1xf32>) -> tensor<9x7xf32>
    %y = snippets.matmul %p, %b : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
    snippets.yield %p, %y : tensor<9x7xf32>, tensor<9x5xf32>
  }
  func.return %0, %1 : tensor<9x7xf32>, tensor<9x5xf32>
}
