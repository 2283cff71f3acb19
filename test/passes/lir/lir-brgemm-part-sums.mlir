// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-part-sums' --symbols --split-input-file --explain=lir-brgemm-part-sums 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-part-sums{room=4194304}' --symbols --split-input-file | filecheck %s --check-prefix=LARGE
// RUN: not snippets-opt %s -p 'lir-brgemm-part-sums{room=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS

// REJECTS: error: pass 'lir-brgemm-part-sums': expected bytes, or -1 for the target's, found room=-2

// A cache that holds all panels.
// LARGE-NOT: accumulate,

// Eight parts of 1024 terms, each of which all rows use; `relu` has loops of its own.
// PLAN: panels of {{[0-9]+}} columns by parts of 1024 terms
// CHECK-LABEL: @fires
// CHECK: loops [#lir.loop<0, work 64, inc 1, dim 2, jam {{[0-9]+}}>, #lir.loop<1, work 2048, inc [[W:[0-9]+]], dim 0, parallel>, #lir.loop<2, work 8192, inc 1024, dim 1>, #lir.loop<3, work 256, inc 1, dim 1, inner of 4>, #lir.loop<4, work 1024, inc 256, dim 1, inner of 2>, #lir.loop<5, work [[W]], inc 16, dim 0, inner of 1, jam {{[0-9]+}}>, #lir.loop<6, work 64, inc 1, dim 2>, #lir.loop<7, work [[W]], inc 16, dim 0, inner of 1>, #lir.loop<8, work 64, inc 1, dim 2>, #lir.loop<9, work [[W]], inc 16, dim 0, inner of 1>]
// CHECK: %[[Z:.*]] = lir.store %{{.*}} {count = 16 : i64, lir.loops = array<i64: 1, 6, 7>
// CHECK-NEXT: %[[C:.*]] = lir.brgemm {{.*}} {lir.loops = array<i64: 1, 2, 0, 5, 4, 3>
// CHECK-NEXT: %[[S:.*]] = lir.accumulate %[[C]] {{.*}}lir.loops = array<i64: 1, 2, 0, 5, 4>
// CHECK-NEXT: %[[U:.*]] = lir.store %[[S]] {count = 16 : i64, accumulate, lir.loops = array<i64: 1, 2, 0, 5>
// CHECK-NEXT: %[[B:.*]] = lir.buffer %[[Z]], %[[U]] {lir.loops = array<i64: 1>
// CHECK-NEXT: %[[L:.*]] = lir.load %[[B]] {count = 16 : i64, lir.loops = array<i64: 1, 8, 9>
// CHECK-NEXT: snippets.relu %[[L]] {lir.loops = array<i64: 1, 8, 9>
func.func @fires(%x: tensor<64x8192xf32>, %y: tensor<8192x2048xf32>) -> tensor<64x2048xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x8192xf32>, tensor<8192x2048xf32>) -> tensor<64x2048xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x8192xf32>, tensor<8192x2048xf32>) -> tensor<64x2048xf32>
    %1 = snippets.relu %0 : tensor<64x2048xf32>
    snippets.yield %1 : tensor<64x2048xf32>
  }
  func.return %r : tensor<64x2048xf32>
}

// -----

// 11008 terms are 8 parts of 16 blocks.
// PLAN: parts of 1376 terms
// CHECK-LABEL: @even
// CHECK: #lir.loop<2, work 11008, inc 1376, dim 1>, #lir.loop<3, work 172, inc 1, dim 1, inner of 4>, #lir.loop<4, work 1376, inc 172, dim 1, inner of 2>
func.func @even(%x: tensor<64x11008xf32>, %y: tensor<11008x1024xf32>) -> tensor<64x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x11008xf32>, tensor<11008x1024xf32>) -> tensor<64x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x11008xf32>, tensor<11008x1024xf32>) -> tensor<64x1024xf32>
    snippets.yield %0 : tensor<64x1024xf32>
  }
  func.return %r : tensor<64x1024xf32>
}

// -----

// Sums of a matrix of a batch live in its loop.
// PLAN: parts of 1024 terms
// CHECK-LABEL: @batch
// CHECK: lir.store {{.*}} accumulate, lir.loops = array<i64: 0, 2, 3, 1, {{[0-9]+}}>
// CHECK-NEXT: lir.buffer {{.*}} {lir.loops = array<i64: 0, 2>
func.func @batch(%x: tensor<3x40x8192xf32>, %y: tensor<3x8192x1024xf32>) -> tensor<3x40x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x40x8192xf32>, tensor<3x8192x1024xf32>) -> tensor<3x40x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3x40x8192xf32>, tensor<3x8192x1024xf32>) -> tensor<3x40x1024xf32>
    snippets.yield %0 : tensor<3x40x1024xf32>
  }
  func.return %r : tensor<3x40x1024xf32>
}

// -----

// A transposed operand is copied by parts, too.
// PLAN: parts of 1024 terms
// CHECK-LABEL: @transposed
// CHECK: lir.store {{.*}} accumulate
func.func @transposed(%x: tensor<64x8192xf32>, %y: tensor<500x8192xf32>) -> tensor<64x500xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x8192xf32>, tensor<500x8192xf32>) -> tensor<64x500xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<64x8192xf32>, tensor<500x8192xf32>) -> tensor<64x500xf32>
    snippets.yield %0 : tensor<64x500xf32>
  }
  func.return %r : tensor<64x500xf32>
}

// -----

// 31 rows do not pay for a copy.
// CHECK-LABEL: @few_rows
// CHECK-NOT: lir.store
func.func @few_rows(%x: tensor<31x8192xf32>, %y: tensor<8192x1024xf32>) -> tensor<31x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<31x8192xf32>, tensor<8192x1024xf32>) -> tensor<31x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<31x8192xf32>, tensor<8192x1024xf32>) -> tensor<31x1024xf32>
    snippets.yield %0 : tensor<31x1024xf32>
  }
  func.return %r : tensor<31x1024xf32>
}

// -----

// Sums of as many rows as a call has: nobody knows what they need.
// CHECK-LABEL: @any_rows
// CHECK-NOT: lir.store
func.func @any_rows(%x: tensor<?x8192xf32>, %y: tensor<8192x1024xf32>) -> tensor<?x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8192xf32>, tensor<8192x1024xf32>) -> tensor<?x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<?x8192xf32>, tensor<8192x1024xf32>) -> tensor<?x1024xf32>
    snippets.yield %0 : tensor<?x1024xf32>
  }
  func.return %r : tensor<?x1024xf32>
}

// -----

// Sums of all rows are beyond the second-level cache.
// CHECK-LABEL: @many_rows
// CHECK-NOT: lir.store
func.func @many_rows(%x: tensor<20000x8192xf32>, %y: tensor<8192x1024xf32>) -> tensor<20000x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<20000x8192xf32>, tensor<8192x1024xf32>) -> tensor<20000x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<20000x8192xf32>, tensor<8192x1024xf32>) -> tensor<20000x1024xf32>
    snippets.yield %0 : tensor<20000x1024xf32>
  }
  func.return %r : tensor<20000x1024xf32>
}

// -----

// The panel stays in the second-level cache.
// CHECK-LABEL: @near
// CHECK-NOT: lir.store
func.func @near(%x: tensor<64x2048xf32>, %y: tensor<2048x1024xf32>) -> tensor<64x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x2048xf32>, tensor<2048x1024xf32>) -> tensor<64x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x2048xf32>, tensor<2048x1024xf32>) -> tensor<64x1024xf32>
    snippets.yield %0 : tensor<64x1024xf32>
  }
  func.return %r : tensor<64x1024xf32>
}

// -----

// 8209 is a prime: no parts are equal.
// CHECK-LABEL: @odd
// CHECK-NOT: lir.store
func.func @odd(%x: tensor<64x8209xf32>, %y: tensor<8209x1024xf32>) -> tensor<64x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x8209xf32>, tensor<8209x1024xf32>) -> tensor<64x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x8209xf32>, tensor<8209x1024xf32>) -> tensor<64x1024xf32>
    snippets.yield %0 : tensor<64x1024xf32>
  }
  func.return %r : tensor<64x1024xf32>
}

// -----

// Rows of 4000 bytes are read in place.
// CHECK-LABEL: @in_place
// CHECK-NOT: lir.store
func.func @in_place(%x: tensor<64x8192xf32>, %y: tensor<8192x1000xf32>) -> tensor<64x1000xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x8192xf32>, tensor<8192x1000xf32>) -> tensor<64x1000xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x8192xf32>, tensor<8192x1000xf32>) -> tensor<64x1000xf32>
    snippets.yield %0 : tensor<64x1000xf32>
  }
  func.return %r : tensor<64x1000xf32>
}
