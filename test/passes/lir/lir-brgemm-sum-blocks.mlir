// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops,lir-brgemm-blocking,lir-brgemm-sum-blocks' --split-input-file --explain=lir-brgemm-sum-blocks 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// Eight rows at a time; two threads have a block of columns each. `relu` stands before the product and reads nothing of it.
// PLAN: 8 rows of the right operand at a time, sums of 3008 columns in buffers
// CHECK-LABEL: @row
// CHECK: loops [#lir.loop<0, work 6000, inc 3008, dim 0, parallel>, #lir.loop<1, work 64, inc 8, dim 1>, #lir.loop<2, work 8, inc 1, dim 1, inner of 1>, #lir.loop<3, work 3008, inc 16, dim 0, inner of 0, jam 4>, #lir.loop<4, work 3008, inc 16, dim 0, inner of 0>, #lir.loop<5, work 3008, inc 16, dim 0, inner of 0>]
// CHECK: %[[S:.*]] = lir.store %{{.*}} {count = 16 : i64, lir.loops = array<i64: 0, 4>
// CHECK-NEXT: %[[C:.*]] = lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 3, 2>
// CHECK-NEXT: %[[T:.*]] = lir.store %[[C]] {count = 16 : i64, accumulate, lir.loops = array<i64: 0, 1, 3>
// CHECK-NEXT: %[[B:.*]] = lir.buffer %[[S]], %[[T]] {lir.loops = array<i64: 0>
// CHECK-NEXT: %[[L:.*]] = lir.load %[[B]] {count = 16 : i64, lir.loops = array<i64: 0, 5>
// CHECK-NEXT: %[[R:.*]] = snippets.relu %c {lir.loops = array<i64: 0, 5>
// CHECK-NEXT: snippets.add %[[L]], %[[R]] {lir.loops = array<i64: 0, 5>
func.func @row(%x: tensor<1x64xf32>, %y: tensor<64x6000xf32>, %z: tensor<6000xf32>) -> tensor<1x6000xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<1x64xf32>, tensor<64x6000xf32>, tensor<6000xf32>) -> tensor<1x6000xf32> {
    %0 = snippets.relu %c : tensor<6000xf32>
    %1 = snippets.matmul %a, %b : (tensor<1x64xf32>, tensor<64x6000xf32>) -> tensor<1x6000xf32>
    %2 = snippets.add %1, %0 : (tensor<1x6000xf32>, tensor<6000xf32>) -> tensor<1x6000xf32>
    snippets.yield %2 : tensor<1x6000xf32>
  }
  func.return %r : tensor<1x6000xf32>
}

// -----

// Blocks of a long sum have a buffer, which is added to that of the whole sum; threads share the batch.
// PLAN: 8 rows of the right operand at a time, sums of 1536 columns in buffers
// CHECK-LABEL: @batch
// CHECK: loops [#lir.loop<0, work 3, inc 1, dim 2, parallel>, #lir.loop<1, work 1500, inc 1536, dim 0>, #lir.loop<2, work 192, inc 64, dim 1>, #lir.loop<3, work 64, inc 8, dim 1, inner of 2>, #lir.loop<4, work 8, inc 1, dim 1, inner of 3>,
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2, 3, 5, 4>
// CHECK-NEXT: %[[T:.*]] = lir.store {{.*}} {count = 16 : i64, accumulate, lir.loops = array<i64: 0, 1, 2, 3, 5>
// CHECK-NEXT: %[[B:.*]] = lir.buffer %{{.*}}, %[[T]] {lir.loops = array<i64: 0, 1, 2>
// CHECK-NEXT: %[[L:.*]] = lir.load %[[B]]
// CHECK-NEXT: %[[U:.*]] = lir.store %[[L]] {count = 16 : i64, accumulate
// CHECK-NEXT: lir.buffer %{{.*}}, %[[U]] {lir.loops = array<i64: 0, 1>
// CHECK-NOT: lir.accumulate
func.func @batch(%x: tensor<3x1x192xf32>, %y: tensor<3x192x1500xf32>) -> tensor<3x1x1500xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x1x192xf32>, tensor<3x192x1500xf32>) -> tensor<3x1x1500xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3x1x192xf32>, tensor<3x192x1500xf32>) -> tensor<3x1x1500xf32>
    snippets.yield %0 : tensor<3x1x1500xf32>
  }
  func.return %r : tensor<3x1x1500xf32>
}

// -----

// 1000 terms are 25 blocks of 40: no rest of rows.
// PLAN: 8 rows of the right operand at a time
// CHECK-LABEL: @even
// CHECK: #lir.loop<1, work 1000, inc 40, dim 1>, #lir.loop<2, work 40, inc 8, dim 1, inner of 1>, #lir.loop<3, work 8, inc 1, dim 1, inner of 2>
func.func @even(%x: tensor<1x1000xf32>, %y: tensor<1000x1000xf32>) -> tensor<1x1000xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x1000xf32>, tensor<1000x1000xf32>) -> tensor<1x1000xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x1000xf32>, tensor<1000x1000xf32>) -> tensor<1x1000xf32>
    snippets.yield %0 : tensor<1x1000xf32>
  }
  func.return %r : tensor<1x1000xf32>
}

// -----

// No few rows divide 1003 terms: there is a rest of 43 terms, and one of three rows.
// PLAN: 8 rows of the right operand at a time
// CHECK-LABEL: @odd
// CHECK: #lir.loop<1, work 1003, inc 64, dim 1>, #lir.loop<2, work 64, inc 8, dim 1, inner of 1>
func.func @odd(%x: tensor<1x1003xf32>, %y: tensor<1003x1000xf32>) -> tensor<1x1000xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x1003xf32>, tensor<1003x1000xf32>) -> tensor<1x1000xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x1003xf32>, tensor<1003x1000xf32>) -> tensor<1x1000xf32>
    snippets.yield %0 : tensor<1x1000xf32>
  }
  func.return %r : tensor<1x1000xf32>
}

// -----

// The right operand fits the second-level cache.
// PLAN: no sum goes by blocks of rows
// CHECK-LABEL: @near
// CHECK-NOT: accumulate,
func.func @near(%x: tensor<1x64xf32>, %y: tensor<64x4096xf32>) -> tensor<1x4096xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x64xf32>, tensor<64x4096xf32>) -> tensor<1x4096xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x64xf32>, tensor<64x4096xf32>) -> tensor<1x4096xf32>
    snippets.yield %0 : tensor<1x4096xf32>
  }
  func.return %r : tensor<1x4096xf32>
}

// -----

// All sums of a row have registers.
// PLAN: no sum goes by blocks of rows
// CHECK-LABEL: @narrow
// CHECK: jam 29
// CHECK-NOT: accumulate,
func.func @narrow(%x: tensor<3x1x714xf32>, %y: tensor<3x714x449xf32>) -> tensor<3x1x449xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x1x714xf32>, tensor<3x714x449xf32>) -> tensor<3x1x449xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3x1x714xf32>, tensor<3x714x449xf32>) -> tensor<3x1x449xf32>
    snippets.yield %0 : tensor<3x1x449xf32>
  }
  func.return %r : tensor<3x1x449xf32>
}

// -----

// More rows than one.
// PLAN: no sum goes by blocks of rows
// CHECK-LABEL: @rows
// CHECK-NOT: accumulate,
func.func @rows(%x: tensor<2x64xf32>, %y: tensor<64x6000xf32>) -> tensor<2x6000xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x64xf32>, tensor<64x6000xf32>) -> tensor<2x6000xf32> {
    %0 = snippets.matmul %a, %b : (tensor<2x64xf32>, tensor<64x6000xf32>) -> tensor<2x6000xf32>
    snippets.yield %0 : tensor<2x6000xf32>
  }
  func.return %r : tensor<2x6000xf32>
}

// -----

// Only the call knows the columns: threads share blocks of 1024.
// PLAN: 8 rows of the right operand at a time, sums of 1024 columns in buffers
// CHECK-LABEL: @any_columns
func.func @any_columns(%x: tensor<1x1024xf32>, %y: tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<1x?xf32, #lir.sizes<?0>> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x1024xf32>, tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<1x?xf32, #lir.sizes<?0>> {
    %0 = snippets.matmul %a, %b : (tensor<1x1024xf32>, tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<1x?xf32, #lir.sizes<?0>>
    snippets.yield %0 : tensor<1x?xf32, #lir.sizes<?0>>
  }
  func.return %r : tensor<1x?xf32, #lir.sizes<?0>>
}
