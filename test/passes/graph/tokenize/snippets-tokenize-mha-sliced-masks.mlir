// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-tokenize-mha' --split-input-file | filecheck %s

// The kernel reads a part of the mask in place.
// CHECK-LABEL: func.func @bias(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.slice {{.*}} -> tensor<2x9x7xf32>
// CHECK-NEXT: snippets.matmul
// CHECK-NEXT: snippets.add
func.func @bias(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %b: tensor<2x12x20xf32>) -> tensor<2x9x5xf32> {
  %m = snippets.slice %b {starts = array<i64: 0, 3, 5>, steps = array<i64: 1, 1, 1>} : (tensor<2x12x20xf32>) -> tensor<2x9x7xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %a = snippets.add %s, %m : tensor<2x9x7xf32>
  %p = snippets.softmax %a {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o : tensor<2x9x5xf32>
}

// -----

// Twins: two attentions read a part, of which one copy is made; the keys of a part are not adjacent.
// CHECK-LABEL: func.func @copies(
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.subgraph
// CHECK-NOT: snippets.slice
// CHECK: return
func.func @copies(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %b: tensor<2x12x20xf32>) -> (tensor<2x9x5xf32>, tensor<2x9x5xf32>) {
  %m = snippets.slice %b {starts = array<i64: 0, 3, 5>, steps = array<i64: 1, 1, 1>} : (tensor<2x12x20xf32>) -> tensor<2x9x7xf32>
  %n = snippets.slice %b {starts = array<i64: 0, 3, 0>, steps = array<i64: 1, 1, 2>} : (tensor<2x12x20xf32>) -> tensor<2x9x7xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %a = snippets.add %s, %m : tensor<2x9x7xf32>
  %p = snippets.softmax %a {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %t = snippets.matmul %o, %o {transpose_b} : (tensor<2x9x5xf32>, tensor<2x9x5xf32>) -> tensor<2x9x9xf32>
  %u = snippets.matmul %t, %q : (tensor<2x9x9xf32>, tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  %w = snippets.matmul %u, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %c = snippets.add %w, %m : tensor<2x9x7xf32>
  %d = snippets.add %c, %n : tensor<2x9x7xf32>
  %e = snippets.softmax %d {axis = 2 : i64} : tensor<2x9x7xf32>
  %f = snippets.matmul %e, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o, %f : tensor<2x9x5xf32>, tensor<2x9x5xf32>
}
