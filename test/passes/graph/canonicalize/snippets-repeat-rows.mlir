// RUN: snippets-opt %s -p snippets-repeat-rows --verify-each | filecheck %s

// The mask has the rows of all heads; so has what is computed with the numbers of its rows.
// CHECK-LABEL: func.func @mask(
// CHECK: %[[W:.*]] = snippets.broadcast %c : (tensor<9x7xf32>) -> tensor<2x9x7xf32>
// CHECK-NEXT: %n = snippets.reduce_sum %[[W]] {axes = array<i64: 2>, keep_dims} : (tensor<2x9x7xf32>) -> tensor<2x9x1xf32>
// CHECK-NEXT: %h = snippets.equal %n, %zero : (tensor<2x9x1xf32>, tensor<f32>) -> tensor<2x9x1xi1>
// CHECK: %y = snippets.select %h, %zero, %o : (tensor<2x9x1xi1>, tensor<f32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
func.func @mask(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<9x7xf32>) -> tensor<2x9x5xf32> {
  %0 = snippets.subgraph (%a = %q, %b = %k, %d = %v, %c = %m) : (tensor<2x9x4xf32>, tensor<2x7x4xf32>, tensor<2x7x5xf32>, tensor<9x7xf32>) -> tensor<2x9x5xf32> {
    %zero = snippets.scalar 0.0 : f32
    %n = snippets.reduce_sum %c {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
    %h = snippets.equal %n, %zero : (tensor<9x1xf32>, tensor<f32>) -> tensor<9x1xi1>
    %s = snippets.matmul %a, %b {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
    %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
    %o = snippets.matmul %p, %d : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
    %y = snippets.select %h, %zero, %o : (tensor<9x1xi1>, tensor<f32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
    snippets.yield %y : tensor<2x9x5xf32>
  }
  func.return %0 : tensor<2x9x5xf32>
}

// Stays: the mask has a row for each row of the scores.
// CHECK-LABEL: func.func @own_rows(
// CHECK-NOT: snippets.broadcast
func.func @own_rows(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<2x9x7xf32>) -> tensor<2x9x5xf32> {
  %0 = snippets.subgraph (%a = %q, %b = %k, %d = %v, %c = %m) : (tensor<2x9x4xf32>, tensor<2x7x4xf32>, tensor<2x7x5xf32>, tensor<2x9x7xf32>) -> tensor<2x9x5xf32> {
    %n = snippets.reduce_sum %c {axes = array<i64: 2>, keep_dims} : (tensor<2x9x7xf32>) -> tensor<2x9x1xf32>
    %s = snippets.matmul %a, %b {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
    %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
    %o = snippets.matmul %p, %d : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
    %y = snippets.multiply %n, %o : (tensor<2x9x1xf32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
    snippets.yield %y : tensor<2x9x5xf32>
  }
  func.return %0 : tensor<2x9x5xf32>
}

// Stays: no products are beside it, or it reduces another dim, or no keys.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: snippets.broadcast
func.func @others(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<9x7xf32>, %w: tensor<9x5xf32>) -> (tensor<9x1xf32>, tensor<2x9x5xf32>) {
  %0 = snippets.subgraph (%c = %m) : (tensor<9x7xf32>) -> tensor<9x1xf32> {
    %n = snippets.reduce_sum %c {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
    snippets.yield %n : tensor<9x1xf32>
  }
  %1 = snippets.subgraph (%a = %q, %b = %k, %d = %v, %c = %m, %e = %w) : (tensor<2x9x4xf32>, tensor<2x7x4xf32>, tensor<2x7x5xf32>, tensor<9x7xf32>, tensor<9x5xf32>) -> tensor<2x9x5xf32> {
    %n = snippets.reduce_sum %c {axes = array<i64: 0>, keep_dims} : (tensor<9x7xf32>) -> tensor<1x7xf32>
    %x = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<9x5xf32>) -> tensor<9x1xf32>
    %s = snippets.matmul %a, %b {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
    %t = snippets.add %s, %n : (tensor<2x9x7xf32>, tensor<1x7xf32>) -> tensor<2x9x7xf32>
    %p = snippets.softmax %t {axis = 2 : i64} : tensor<2x9x7xf32>
    %o = snippets.matmul %p, %d : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
    %y = snippets.multiply %o, %x : (tensor<2x9x5xf32>, tensor<9x1xf32>) -> tensor<2x9x5xf32>
    snippets.yield %y : tensor<2x9x5xf32>
  }
  func.return %0, %1 : tensor<9x1xf32>, tensor<2x9x5xf32>
}
