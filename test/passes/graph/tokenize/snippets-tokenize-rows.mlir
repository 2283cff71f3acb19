// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-tokenize' --allow-unregistered-dialect --split-input-file --explain=snippets-tokenize 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// What computes the left operand is in the kernel of the product.
// PLAN: subgraph of snippets.layer_norm, snippets.matmul %m, snippets.relu %y
// CHECK-LABEL: func.func @norm(
// CHECK: snippets.subgraph (%{{.*}} = %x, %{{.*}} = %w)
// CHECK-NEXT: snippets.layer_norm
// CHECK-NEXT: snippets.matmul
// CHECK-NOT: snippets.subgraph
func.func @norm(%x: tensor<2048x768xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x768xf32>) -> tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  %y = snippets.relu %m : tensor<2048x256xf32>
  func.return %y : tensor<2048x256xf32>
}

// -----

// The softmax of the rows of a product, with a bias before.
// PLAN: subgraph of snippets.matmul %m, snippets.add, snippets.softmax %y
// CHECK-LABEL: func.func @softmax(
// CHECK: snippets.matmul
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.softmax
// CHECK-NOT: snippets.subgraph
func.func @softmax(%x: tensor<2048x64xf32>, %b: tensor<256xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<64x256xf32>
  %m = snippets.matmul %x, %w : (tensor<2048x64xf32>, tensor<64x256xf32>) -> tensor<2048x256xf32>
  %0 = snippets.add %m, %b : (tensor<2048x256xf32>, tensor<256xf32>) -> tensor<2048x256xf32>
  %y = snippets.softmax %0 {axis = 1 : i64} : tensor<2048x256xf32>
  func.return %y : tensor<2048x256xf32>
}

// -----

// Queries, keys and values of one norm.
// PLAN: subgraph of snippets.rms_norm %n, snippets.multiply %g, snippets.matmul %q, snippets.matmul %k
// CHECK-LABEL: func.func @side_by_side(
// CHECK-COUNT-2: snippets.matmul
// CHECK-NOT: snippets.subgraph
func.func @side_by_side(%x: tensor<2048x768xf32>, %s: tensor<768xf32>) -> (tensor<2048x256xf32>, tensor<2048x256xf32>) {
  %v = snippets.constant dense<0.5> : tensor<768x256xf32>
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %n = snippets.rms_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x768xf32>) -> tensor<2048x768xf32>
  %g = snippets.multiply %n, %s : (tensor<2048x768xf32>, tensor<768xf32>) -> tensor<2048x768xf32>
  %q = snippets.matmul %g, %v : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  %k = snippets.matmul %g, %w : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  func.return %q, %k : tensor<2048x256xf32>, tensor<2048x256xf32>
}

// -----

// A norm between products that is also a result is in the kernel of the first one, which then
// writes no other value.
// PLAN: subgraph of snippets.matmul %m, snippets.layer_norm %n
// PLAN: subgraph of snippets.matmul %y
// PLAN: snippets.layer_norm %n apart from snippets.matmul %y: T15: more than the product reads what is computed before it
// CHECK-LABEL: func.func @between(
// CHECK: snippets.layer_norm
// CHECK-NEXT: snippets.yield
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.matmul
func.func @between(%x: tensor<2048x64xf32>) -> (tensor<2048x64xf32>, tensor<2048x256xf32>) {
  %v = snippets.constant dense<0.5> : tensor<64x256xf32>
  %w = snippets.constant dense<0.5> : tensor<256x64xf32>
  %m = snippets.matmul %x, %v : (tensor<2048x64xf32>, tensor<64x256xf32>) -> tensor<2048x256xf32>
  %n = snippets.layer_norm %m {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %y = snippets.matmul %n, %w : (tensor<2048x256xf32>, tensor<256x64xf32>) -> tensor<2048x64xf32>
  func.return %y, %n : tensor<2048x64xf32>, tensor<2048x256xf32>
}

// -----

// Twin: all rows fit the cache.
// PLAN: snippets.layer_norm apart from snippets.matmul %m: T11: 786432 bytes between them, the second-level cache has 1048576
// CHECK-LABEL: func.func @small(
// CHECK-COUNT-2: snippets.subgraph
func.func @small(%x: tensor<256x768xf32>) -> tensor<256x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<256x768xf32>) -> tensor<256x768xf32>
  %m = snippets.matmul %0, %w : (tensor<256x768xf32>, tensor<768x256xf32>) -> tensor<256x256xf32>
  func.return %m : tensor<256x256xf32>
}

// -----

// Twin: blocks are low.
// PLAN: T12: blocks have 32 rows of 12288 bytes, fewer than 64
// CHECK-LABEL: func.func @low(
// CHECK-COUNT-2: snippets.subgraph
func.func @low(%x: tensor<2048x3072xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<3072x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x3072xf32>) -> tensor<2048x3072xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x3072xf32>, tensor<3072x256xf32>) -> tensor<2048x256xf32>
  func.return %m : tensor<2048x256xf32>
}

// -----

// Twin: a block of the left operand is too large.
// PLAN: T12: blocks of 128 rows read 1048576 bytes of the left operand
// CHECK-LABEL: func.func @long(
// CHECK-COUNT-2: snippets.subgraph
func.func @long(%x: tensor<2048x2048xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<2048x256xf32>
  %m = snippets.matmul %x, %w : (tensor<2048x2048xf32>, tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %y = snippets.softmax %m {axis = 1 : i64} : tensor<2048x256xf32>
  func.return %y : tensor<2048x256xf32>
}

// -----

// Twin: too few blocks for two threads.
// PLAN: T13: 7 blocks of 128 rows for 2 threads
// CHECK-LABEL: func.func @few(
// CHECK-COUNT-2: snippets.subgraph
func.func @few(%x: tensor<896x768xf32>) -> tensor<896x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<896x768xf32>) -> tensor<896x768xf32>
  %m = snippets.matmul %0, %w : (tensor<896x768xf32>, tensor<768x256xf32>) -> tensor<896x256xf32>
  func.return %m : tensor<896x256xf32>
}

// -----

// Each gets two.
// PLAN: subgraph of snippets.layer_norm, snippets.matmul %m
// CHECK-LABEL: func.func @equal_shares(
// CHECK: snippets.layer_norm
// CHECK-NEXT: snippets.matmul
func.func @equal_shares(%x: tensor<512x768xf32>) -> tensor<512x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<512x768xf32>) -> tensor<512x768xf32>
  %m = snippets.matmul %0, %w : (tensor<512x768xf32>, tensor<768x256xf32>) -> tensor<512x256xf32>
  func.return %m : tensor<512x256xf32>
}

// -----

// Twin: each block would read all of an operand that is not packed.
// PLAN: T14: blocks read 12582912 bytes of right operands for 6291456 bytes between them
// CHECK-LABEL: func.func @unpacked(
// CHECK-COUNT-2: snippets.subgraph
func.func @unpacked(%x: tensor<2048x768xf32>, %w: tensor<768x256xf32>) -> tensor<2048x256xf32> {
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x768xf32>) -> tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  func.return %m : tensor<2048x256xf32>
}

// -----

// A small one is in the caches.
// PLAN: subgraph of snippets.layer_norm, snippets.matmul %m
// CHECK-LABEL: func.func @unpacked_small(
// CHECK: snippets.layer_norm
// CHECK-NEXT: snippets.matmul
func.func @unpacked_small(%x: tensor<2048x768xf32>, %w: tensor<768x16xf32>) -> tensor<2048x16xf32> {
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x768xf32>) -> tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<768x16xf32>) -> tensor<2048x16xf32>
  func.return %m : tensor<2048x16xf32>
}

// -----

// Twin: the call decides about the rows.
// PLAN: T10: the call decides about the sizes
// CHECK-LABEL: func.func @dynamic(
// CHECK-COUNT-2: snippets.subgraph
func.func @dynamic(%x: tensor<?x768xf32, #lir.sizes<?0>>) -> tensor<?x256xf32, #lir.sizes<?0>> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<?x768xf32, #lir.sizes<?0>>) -> tensor<?x768xf32, #lir.sizes<?0>>
  %m = snippets.matmul %0, %w : (tensor<?x768xf32, #lir.sizes<?0>>, tensor<768x256xf32>) -> tensor<?x256xf32, #lir.sizes<?0>>
  func.return %m : tensor<?x256xf32, #lir.sizes<?0>>
}

// -----

// Twins: the rows of a transposed operand are columns.
// PLAN: T9: P5: a left operand is computed, and then transposed or reshaped
// CHECK-LABEL: func.func @turned(
// CHECK-COUNT-2: snippets.subgraph
func.func @turned(%x: tensor<768x2048xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.relu %x : tensor<768x2048xf32>
  %m = snippets.matmul %0, %w {transpose_a} : (tensor<768x2048xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  func.return %m : tensor<2048x256xf32>
}

// -----

// A softmax of columns needs all rows.
// PLAN: T9: P3: snippets.softmax stands beside a matrix product
// CHECK-LABEL: func.func @columns(
// CHECK-COUNT-2: snippets.subgraph
func.func @columns(%x: tensor<2048x768xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  func.return %m : tensor<2048x256xf32>
}

// -----

// The op after the product reads what is before it.
// PLAN: T9: P5: more than the matrix product reads snippets.relu
// CHECK-LABEL: func.func @residual(
// CHECK-COUNT-2: snippets.subgraph
func.func @residual(%x: tensor<8192x64xf32>) -> tensor<8192x64xf32> {
  %w = snippets.constant dense<0.5> : tensor<64x64xf32>
  %0 = snippets.relu %x : tensor<8192x64xf32>
  %m = snippets.matmul %0, %w : (tensor<8192x64xf32>, tensor<64x64xf32>) -> tensor<8192x64xf32>
  %y = snippets.add %m, %0 : tensor<8192x64xf32>
  func.return %y : tensor<8192x64xf32>
}

// -----

// The norm is a result, too.
// PLAN: T15: more than the product reads what is computed before it
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-2: snippets.subgraph
func.func @kept(%x: tensor<2048x768xf32>) -> (tensor<2048x256xf32>, tensor<2048x768xf32>) {
  %w = snippets.constant dense<0.5> : tensor<768x256xf32>
  %0 = snippets.layer_norm %x {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<2048x768xf32>) -> tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<768x256xf32>) -> tensor<2048x256xf32>
  func.return %m, %0 : tensor<2048x256xf32>, tensor<2048x768xf32>
}

// -----

// Two matrices would compute it twice.
// PLAN: T9: P5: a left operand that several matrices share is computed
// CHECK-LABEL: func.func @shared(
// CHECK-COUNT-2: snippets.subgraph
func.func @shared(%x: tensor<2048x768xf32>) -> tensor<2x2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<2x768x256xf32>
  %0 = snippets.relu %x : tensor<2048x768xf32>
  %m = snippets.matmul %0, %w : (tensor<2048x768xf32>, tensor<2x768x256xf32>) -> tensor<2x2048x256xf32>
  func.return %m : tensor<2x2048x256xf32>
}

// -----

// Twin: a node runs between the product and the ops on its rows.
// PLAN: snippets.softmax, snippets.add %y apart from snippets.matmul %m: T1: an op outside of both runs between them
// CHECK-LABEL: func.func @detour(
// CHECK-COUNT-2: snippets.subgraph
func.func @detour(%x: tensor<2048x64xf32>) -> tensor<2048x256xf32> {
  %w = snippets.constant dense<0.5> : tensor<64x256xf32>
  %m = snippets.matmul %x, %w : (tensor<2048x64xf32>, tensor<64x256xf32>) -> tensor<2048x256xf32>
  %1 = "d.op"(%m) : (tensor<2048x256xf32>) -> tensor<2048x256xf32>
  %0 = snippets.softmax %m {axis = 1 : i64} : tensor<2048x256xf32>
  %y = snippets.add %0, %1 : tensor<2048x256xf32>
  func.return %y : tensor<2048x256xf32>
}
