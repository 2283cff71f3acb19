// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-tokenize-mha' --split-input-file --explain=snippets-tokenize-mha 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// One row of two heads, for two threads.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @heads(
// CHECK: snippets.subgraph
func.func @heads(%q: tensor<2x1x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x1x4xf32>, tensor<2x7x4xf32>) -> tensor<2x1x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x1x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x1x7xf32>, tensor<2x7x5xf32>) -> tensor<2x1x5xf32>
  func.return %o : tensor<2x1x5xf32>
}

// -----

// As many keys as M3 refuses for more rows.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @many_keys(
// CHECK: snippets.subgraph
func.func @many_keys(%q: tensor<2x1x4xf32>, %k: tensor<2x20000x4xf32>, %v: tensor<2x20000x5xf32>) -> tensor<2x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x1x4xf32>, tensor<2x20000x4xf32>) -> tensor<2x1x20000xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x1x20000xf32>
  %o = snippets.matmul %p, %v : (tensor<2x1x20000xf32>, tensor<2x20000x5xf32>) -> tensor<2x1x5xf32>
  func.return %o : tensor<2x1x5xf32>
}

// -----

// Twin: fewer heads than threads.
// PLAN: no attention: M4: one row in 1 matrices, for 2 threads
// CHECK-LABEL: func.func @one_head(
// CHECK-NOT: snippets.subgraph
func.func @one_head(%q: tensor<1x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>) -> tensor<1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<1x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<1x7xf32>
  %o = snippets.matmul %p, %v : (tensor<1x7xf32>, tensor<7x5xf32>) -> tensor<1x5xf32>
  func.return %o : tensor<1x5xf32>
}

// -----

// Twin: one key.
// PLAN: no attention: M2: P4: a matrix product has fewer than two rows, columns or terms
// CHECK-LABEL: func.func @one_key(
// CHECK-NOT: snippets.subgraph
func.func @one_key(%q: tensor<2x1x4xf32>, %k: tensor<2x1x4xf32>, %v: tensor<2x1x5xf32>) -> tensor<2x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x1x1xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x1x1xf32>
  %o = snippets.matmul %p, %v : (tensor<2x1x1xf32>, tensor<2x1x5xf32>) -> tensor<2x1x5xf32>
  func.return %o : tensor<2x1x5xf32>
}
