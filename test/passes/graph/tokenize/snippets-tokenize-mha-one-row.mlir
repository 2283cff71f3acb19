// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-tokenize-mha' --split-input-file --explain=snippets-tokenize-mha 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// One row of four heads.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @heads(
// CHECK: snippets.subgraph
func.func @heads(%q: tensor<4x1x4xf32>, %k: tensor<4x7x4xf32>, %v: tensor<4x7x5xf32>) -> tensor<4x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x1x4xf32>, tensor<4x7x4xf32>) -> tensor<4x1x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<4x1x7xf32>
  %o = snippets.matmul %p, %v : (tensor<4x1x7xf32>, tensor<4x7x5xf32>) -> tensor<4x1x5xf32>
  func.return %o : tensor<4x1x5xf32>
}

// -----

// As many keys as M3 refuses for more rows.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @many_keys(
// CHECK: snippets.subgraph
func.func @many_keys(%q: tensor<4x1x4xf32>, %k: tensor<4x20000x4xf32>, %v: tensor<4x20000x5xf32>) -> tensor<4x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x1x4xf32>, tensor<4x20000x4xf32>) -> tensor<4x1x20000xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<4x1x20000xf32>
  %o = snippets.matmul %p, %v : (tensor<4x1x20000xf32>, tensor<4x20000x5xf32>) -> tensor<4x1x5xf32>
  func.return %o : tensor<4x1x5xf32>
}

// -----

// Twin: too few heads.
// PLAN: no attention: M4: one row of 3 matrices, fewer than 4
// CHECK-LABEL: func.func @three_heads(
// CHECK-NOT: snippets.subgraph
func.func @three_heads(%q: tensor<3x1x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x5xf32>) -> tensor<3x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<3x1x4xf32>, tensor<3x7x4xf32>) -> tensor<3x1x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<3x1x7xf32>
  %o = snippets.matmul %p, %v : (tensor<3x1x7xf32>, tensor<3x7x5xf32>) -> tensor<3x1x5xf32>
  func.return %o : tensor<3x1x5xf32>
}

// -----

// Twin: one key.
// PLAN: no attention: M2: P4: a matrix product has fewer than two rows, columns or terms
// CHECK-LABEL: func.func @one_key(
// CHECK-NOT: snippets.subgraph
func.func @one_key(%q: tensor<4x1x4xf32>, %k: tensor<4x1x4xf32>, %v: tensor<4x1x5xf32>) -> tensor<4x1x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x1x4xf32>, tensor<4x1x4xf32>) -> tensor<4x1x1xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<4x1x1xf32>
  %o = snippets.matmul %p, %v : (tensor<4x1x1xf32>, tensor<4x1x5xf32>) -> tensor<4x1x5xf32>
  func.return %o : tensor<4x1x5xf32>
}
