// RUN: snippets-opt %s -p snippets-relax-maxima --verify-each | filecheck %s

// Softmax: the maximum is seen through the sum alone. Whatever reads the quotient is NaN where it is.
// CHECK-LABEL: func.func @softmax(
// CHECK: snippets.reduce_maxnum %a {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %d = snippets.subtract %a, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %e = snippets.exp %d : tensor<4x8xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %q = snippets.divide %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %y = snippets.multiply %q, %a : tensor<4x8xf32>
    snippets.yield %y : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// Softmax, log_softmax and logsumexp of one row, with dims dropped, spread and put back.
// CHECK-LABEL: func.func @all_three(
// CHECK: snippets.reduce_maxnum %a {axes = array<i64: 0, 2>} : (tensor<3x4x5xf64>) -> tensor<4xf64>
func.func @all_three(%x: tensor<3x4x5xf64>) -> (tensor<3x4x5xf64>, tensor<3x4x5xf64>, tensor<4xf64>) {
  %0, %1, %2 = snippets.subgraph (%a = %x) : (tensor<3x4x5xf64>) -> (tensor<3x4x5xf64>, tensor<3x4x5xf64>, tensor<4xf64>) {
    %m = snippets.reduce_max %a {axes = array<i64: 0, 2>} : (tensor<3x4x5xf64>) -> tensor<4xf64>
    %k = snippets.reshape %m : (tensor<4xf64>) -> tensor<1x4x1xf64>
    %b = snippets.broadcast %k : (tensor<1x4x1xf64>) -> tensor<3x4x5xf64>
    %d = snippets.subtract %a, %b : tensor<3x4x5xf64>
    %e = snippets.exp %d : tensor<3x4x5xf64>
    %s = snippets.reduce_sum %e {axes = array<i64: 0, 2>, keep_dims} : (tensor<3x4x5xf64>) -> tensor<1x4x1xf64>
    %q = snippets.divide %e, %s : (tensor<3x4x5xf64>, tensor<1x4x1xf64>) -> tensor<3x4x5xf64>
    %l = snippets.log %s : tensor<1x4x1xf64>
    %p = snippets.subtract %d, %l : (tensor<3x4x5xf64>, tensor<1x4x1xf64>) -> tensor<3x4x5xf64>
    %f = snippets.reshape %l : (tensor<1x4x1xf64>) -> tensor<4xf64>
    %z = snippets.add %m, %f : tensor<4xf64>
    snippets.yield %q, %p, %z : tensor<3x4x5xf64>, tensor<3x4x5xf64>, tensor<4xf64>
  }
  func.return %0, %1, %2 : tensor<3x4x5xf64>, tensor<3x4x5xf64>, tensor<4xf64>
}

// Rule H1, the maximum is a result; nothing but a maximum; another function than exp; it meets other rows;
// it is added to what is no logarithm.
// CHECK-LABEL: func.func @maximum_is_seen(
// CHECK-NOT: reduce_maxnum
// CHECK: func.return
func.func @maximum_is_seen(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
  %0:6 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %d = snippets.subtract %a, %m : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %e = snippets.exp %d : tensor<4x4xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %q = snippets.divide %e, %s : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %n = snippets.reduce_max %b {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %1 = snippets.multiply %a, %a : tensor<4x4xf32>
    %o = snippets.reduce_max %1 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %2 = snippets.subtract %1, %o : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %3 = snippets.tanh %2 : tensor<4x4xf32>
    %4 = snippets.reduce_sum %3 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %5 = snippets.divide %3, %4 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %6 = snippets.multiply %b, %b : tensor<4x4xf32>
    %t = snippets.reduce_max %6 {axes = array<i64: 1>} : (tensor<4x4xf32>) -> tensor<4xf32>
    %7 = snippets.subtract %6, %t : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %8 = snippets.exp %7 : tensor<4x4xf32>
    %9 = snippets.reduce_sum %8 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %10 = snippets.divide %8, %9 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %11 = snippets.multiply %a, %b : tensor<4x4xf32>
    %12 = snippets.reduce_max %11 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %13 = snippets.subtract %11, %12 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %14 = snippets.exp %13 : tensor<4x4xf32>
    %15 = snippets.reduce_sum %14 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %16 = snippets.add %15, %12 : tensor<4x1xf32>
    snippets.yield %q, %m, %n, %5, %10, %16 : tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>
  }
  func.return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5 : tensor<4x4xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x1xf32>
}

// Rule H2, the distance has another reader.
// CHECK-LABEL: func.func @distance_is_seen(
// CHECK-NOT: reduce_maxnum
// CHECK: func.return
func.func @distance_is_seen(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x8xf32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x8xf32>) {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %d = snippets.subtract %a, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %e = snippets.exp %d : tensor<4x8xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %y = snippets.subtract %d, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    snippets.yield %s, %y : tensor<4x1xf32>, tensor<4x8xf32>
  }
  func.return %0, %1 : tensor<4x1xf32>, tensor<4x8xf32>
}

// Rule H3, the exponential is a result; it is divided by the sums of other rows; it is the divisor.
// CHECK-LABEL: func.func @exponential_is_seen(
// CHECK-NOT: reduce_maxnum
// CHECK: func.return
func.func @exponential_is_seen(%x: tensor<4x4xf32>) -> (tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0:4 = snippets.subgraph (%a = %x) : (tensor<4x4xf32>) -> (tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %m = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %d = snippets.subtract %a, %m : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %e = snippets.exp %d : tensor<4x4xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %1 = snippets.multiply %a, %a : tensor<4x4xf32>
    %2 = snippets.reduce_max %1 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %3 = snippets.subtract %1, %2 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %4 = snippets.exp %3 : tensor<4x4xf32>
    %5 = snippets.reduce_sum %4 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %6 = snippets.reshape %5 : (tensor<4x1xf32>) -> tensor<1x4xf32>
    %7 = snippets.divide %4, %6 : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %8 = snippets.add %a, %a : tensor<4x4xf32>
    %9 = snippets.reduce_max %8 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %10 = snippets.subtract %8, %9 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %11 = snippets.exp %10 : tensor<4x4xf32>
    %12 = snippets.reduce_sum %11 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %13 = snippets.divide %1, %11 : tensor<4x4xf32>
    snippets.yield %s, %e, %7, %13 : tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  func.return %0#0, %0#1, %0#2, %0#3 : tensor<4x1xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// The maximum along another axis; dims of unknown size on the way through a reshape, of which rows
// may be mixed; ops that the compiler is kept away from; outside of subgraphs.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: reduce_maxnum
// CHECK: func.return
func.func @does_not_fire(%x: tensor<4x4xf32>, %u: tensor<?x?x8xf32>) -> (tensor<4x4xf32>, tensor<?x?x8xf32>, tensor<4x4xf32>, tensor<4x1xf32>) {
  %0, %1, %2 = snippets.subgraph (%a = %x, %b = %u) : (tensor<4x4xf32>, tensor<?x?x8xf32>) -> (tensor<4x4xf32>, tensor<?x?x8xf32>, tensor<4x4xf32>) {
    %m = snippets.reduce_max %a {axes = array<i64: 0>, keep_dims} : (tensor<4x4xf32>) -> tensor<1x4xf32>
    %d = snippets.subtract %a, %m : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
    %e = snippets.exp %d : tensor<4x4xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %q = snippets.divide %e, %s : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %n = snippets.reduce_max %b {axes = array<i64: 2>} : (tensor<?x?x8xf32>) -> tensor<?x?xf32>
    %3 = snippets.reshape %n : (tensor<?x?xf32>) -> tensor<?x?x1xf32>
    %4 = snippets.subtract %b, %3 : (tensor<?x?x8xf32>, tensor<?x?x1xf32>) -> tensor<?x?x8xf32>
    %5 = snippets.exp %4 : tensor<?x?x8xf32>
    %6 = snippets.reduce_sum %5 {axes = array<i64: 2>, keep_dims} : (tensor<?x?x8xf32>) -> tensor<?x?x1xf32>
    %7 = snippets.divide %5, %6 : (tensor<?x?x8xf32>, tensor<?x?x1xf32>) -> tensor<?x?x8xf32>
    %o = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims, snippets.skipped} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %8 = snippets.subtract %a, %o : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    %9 = snippets.exp %8 : tensor<4x4xf32>
    %10 = snippets.reduce_sum %9 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %11 = snippets.divide %9, %10 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    snippets.yield %q, %7, %11 : tensor<4x4xf32>, tensor<?x?x8xf32>, tensor<4x4xf32>
  }
  %p = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %12 = snippets.subtract %x, %p : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %13 = snippets.exp %12 : tensor<4x4xf32>
  %14 = snippets.reduce_sum %13 {axes = array<i64: 1>, keep_dims} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  func.return %0, %1, %2, %14 : tensor<4x4xf32>, tensor<?x?x8xf32>, tensor<4x4xf32>, tensor<4x1xf32>
}
