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
