// RUN: snippets-opt %s --split-input-file -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-whole-tiles,lir-brgemm-copy-b,lir-insert-buffers,lir-insert-load-store,lir-insert-broadcast-move,lir-load-move-broadcast-to-broadcast-load,lir-init-loops,lir-insert-loops,lir-allocate-buffers,lir-brgemm-few-rows' | filecheck %s

// Fewer rows than a tile go one by one: the keys are read in place, by tiles of four terms, and the
// values eight vectors at a time. Their copy and the other nests are for more rows.
// CHECK: lir.kernel
// CHECK-SAME: #lir.loop<{{[0-9]+}}, work 64, inc 8, dim 0, jam 2, for ?0 from 6>
// CHECK-SAME: #lir.loop<[[COPY:[0-9]+]], work ?1, inc 16, dim 0, for ?0 from 6>
// CHECK-SAME: #lir.loop<[[FEW:[0-9]+]], work ?1, inc 16, dim 0, for ?0 below 6>
// CHECK-SAME: #lir.loop<[[WIDE:[0-9]+]], work 64, inc 8, dim 0, jam 8, for ?0 below 6>
// CHECK: lir.loop_begin [[COPY]]
// CHECK: lir.store
// CHECK: lir.loop_end [[COPY]]
// CHECK: lir.loop_begin [[FEW]]
// CHECK: lir.load %[[KEYS:[a-z0-9]+]] {count = 8
// CHECK-NEXT: lir.load %[[KEYS]] {count = 8 : i64, offset = 1
// CHECK-NEXT: lir.load %[[KEYS]] {count = 8 : i64, offset = 2
// CHECK-NEXT: lir.load %[[KEYS]] {count = 8 : i64, offset = 3
// CHECK-COUNT-4: snippets.fma
// CHECK-NOT: snippets.fma
// CHECK: lir.loop_end [[FEW]]
// CHECK: lir.loop_begin [[WIDE]]
module attributes {snippets.may_be_one} {
func.func @main(%q: tensor<2x?x8xf32, #lir.sizes<?0>>, %k: tensor<2x?x8xf32, #lir.sizes<?1>>, %v: tensor<2x?x64xf32, #lir.sizes<?1>>) -> tensor<2x?x64xf32, #lir.sizes<?0>> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x?x8xf32, #lir.sizes<?1>>) -> tensor<2x8x?xf32, #lir.sizes<?1>>
  %0 = snippets.matmul %q, %t : (tensor<2x?x8xf32, #lir.sizes<?0>>, tensor<2x8x?xf32, #lir.sizes<?1>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %2 = snippets.matmul %1, %v : (tensor<2x?x?xf32, #lir.sizes<?0, ?1>>, tensor<2x?x64xf32, #lir.sizes<?1>>) -> tensor<2x?x64xf32, #lir.sizes<?0>>
  func.return %2 : tensor<2x?x64xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: few rows have few keys.
// CHECK: lir.kernel
// CHECK-NOT: below
module attributes {snippets.may_be_one} {
func.func @main(%q: tensor<2x?x8xf32, #lir.sizes<?0>>, %k: tensor<2x?x8xf32, #lir.sizes<?0>>, %v: tensor<2x?x64xf32, #lir.sizes<?0>>) -> tensor<2x?x64xf32, #lir.sizes<?0>> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x?x8xf32, #lir.sizes<?0>>) -> tensor<2x8x?xf32, #lir.sizes<?0>>
  %0 = snippets.matmul %q, %t : (tensor<2x?x8xf32, #lir.sizes<?0>>, tensor<2x8x?xf32, #lir.sizes<?0>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x?x?xf32, #lir.sizes<?0, ?0>>
  %2 = snippets.matmul %1, %v : (tensor<2x?x?xf32, #lir.sizes<?0, ?0>>, tensor<2x?x64xf32, #lir.sizes<?0>>) -> tensor<2x?x64xf32, #lir.sizes<?0>>
  func.return %2 : tensor<2x?x64xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: a call with one row has a program of its own.
// CHECK: lir.kernel
// CHECK-NOT: below
module {
func.func @main(%q: tensor<2x?x8xf32, #lir.sizes<?0>>, %k: tensor<2x?x8xf32, #lir.sizes<?1>>, %v: tensor<2x?x64xf32, #lir.sizes<?1>>) -> tensor<2x?x64xf32, #lir.sizes<?0>> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x?x8xf32, #lir.sizes<?1>>) -> tensor<2x8x?xf32, #lir.sizes<?1>>
  %0 = snippets.matmul %q, %t : (tensor<2x?x8xf32, #lir.sizes<?0>>, tensor<2x8x?xf32, #lir.sizes<?1>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %2 = snippets.matmul %1, %v : (tensor<2x?x?xf32, #lir.sizes<?0, ?1>>, tensor<2x?x64xf32, #lir.sizes<?1>>) -> tensor<2x?x64xf32, #lir.sizes<?0>>
  func.return %2 : tensor<2x?x64xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: the number of rows is known.
// CHECK: lir.kernel
// CHECK-NOT: below
module attributes {snippets.may_be_one} {
func.func @main(%q: tensor<2x5x8xf32>, %k: tensor<2x?x8xf32, #lir.sizes<?0>>, %v: tensor<2x?x64xf32, #lir.sizes<?0>>) -> tensor<2x5x64xf32> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x?x8xf32, #lir.sizes<?0>>) -> tensor<2x8x?xf32, #lir.sizes<?0>>
  %0 = snippets.matmul %q, %t : (tensor<2x5x8xf32>, tensor<2x8x?xf32, #lir.sizes<?0>>) -> tensor<2x5x?xf32, #lir.sizes<?0>>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x5x?xf32, #lir.sizes<?0>>
  %2 = snippets.matmul %1, %v : (tensor<2x5x?xf32, #lir.sizes<?0>>, tensor<2x?x64xf32, #lir.sizes<?0>>) -> tensor<2x5x64xf32>
  func.return %2 : tensor<2x5x64xf32>
}
}

// -----

// Terms that are no whole tiles, and values of two vectors, have no second nest.
// CHECK: lir.kernel
// CHECK-NOT: below
module attributes {snippets.may_be_one} {
func.func @main(%q: tensor<2x?x6xf32, #lir.sizes<?0>>, %k: tensor<2x?x6xf32, #lir.sizes<?1>>, %v: tensor<2x?x16xf32, #lir.sizes<?1>>) -> tensor<2x?x16xf32, #lir.sizes<?0>> {
  %t = snippets.transpose %k {permutation = array<i64: 0, 2, 1>} : (tensor<2x?x6xf32, #lir.sizes<?1>>) -> tensor<2x6x?xf32, #lir.sizes<?1>>
  %0 = snippets.matmul %q, %t : (tensor<2x?x6xf32, #lir.sizes<?0>>, tensor<2x6x?xf32, #lir.sizes<?1>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %2 = snippets.matmul %1, %v : (tensor<2x?x?xf32, #lir.sizes<?0, ?1>>, tensor<2x?x16xf32, #lir.sizes<?1>>) -> tensor<2x?x16xf32, #lir.sizes<?0>>
  func.return %2 : tensor<2x?x16xf32, #lir.sizes<?0>>
}
}

// -----

// One to three rows read the right operand in place, eight vectors at a time. The nests are over the
// same columns, which threads share.
// CHECK: lir.kernel
// CHECK-SAME: #lir.loop<[[MANY:[0-9]+]], work 1024, inc 24, dim 0, parallel, for ?0 from 4>
// CHECK-SAME: #lir.loop<[[FEW:[0-9]+]], work 1024, inc 64, dim 0, parallel, for ?0 below 4>
// CHECK-SAME: work 64, inc 8, dim 0, inner of [[FEW]], jam 8>
// CHECK: lir.loop_begin [[FEW]]
// CHECK-NOT: lir.buffer
// CHECK: lir.load %[[RIGHT:[a-z0-9]+]] {count = 8
// CHECK: snippets.fma
// CHECK: lir.load %b
// CHECK: lir.store
// CHECK: lir.loop_end [[FEW]]
// CHECK: lir.loop_begin [[MANY]]
// CHECK: lir.load %[[RIGHT]] {count = 8
// CHECK: lir.buffer
// CHECK: lir.loop_end [[MANY]]
module attributes {snippets.may_be_one} {
func.func @main(%x: tensor<?x96xf32, #lir.sizes<?0>>, %w: tensor<96x1024xf32>, %b: tensor<1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
  %0 = snippets.matmul %x, %w : (tensor<?x96xf32, #lir.sizes<?0>>, tensor<96x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
  %1 = snippets.add %0, %b : (tensor<?x1024xf32, #lir.sizes<?0>>, tensor<1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
  func.return %1 : tensor<?x1024xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: an operand that is not copied.
// CHECK: lir.kernel
// CHECK-NOT: below
module attributes {snippets.may_be_one} {
func.func @main(%x: tensor<?x96xf32, #lir.sizes<?0>>, %w: tensor<96x20xf32>) -> tensor<?x20xf32, #lir.sizes<?0>> {
  %0 = snippets.matmul %x, %w : (tensor<?x96xf32, #lir.sizes<?0>>, tensor<96x20xf32>) -> tensor<?x20xf32, #lir.sizes<?0>>
  func.return %0 : tensor<?x20xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: a dynamic size is never 1.
// CHECK: lir.kernel
// CHECK-NOT: below
module {
func.func @main(%x: tensor<?x96xf32, #lir.sizes<?0>>, %w: tensor<96x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
  %0 = snippets.matmul %x, %w : (tensor<?x96xf32, #lir.sizes<?0>>, tensor<96x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
  func.return %0 : tensor<?x1024xf32, #lir.sizes<?0>>
}
}

// -----

// Twin: the number of rows is known.
// CHECK: lir.kernel
// CHECK-NOT: below
module attributes {snippets.may_be_one} {
func.func @main(%x: tensor<33x96xf32>, %w: tensor<96x1024xf32>) -> tensor<33x1024xf32> {
  %0 = snippets.matmul %x, %w : (tensor<33x96xf32>, tensor<96x1024xf32>) -> tensor<33x1024xf32>
  func.return %0 : tensor<33x1024xf32>
}
}
