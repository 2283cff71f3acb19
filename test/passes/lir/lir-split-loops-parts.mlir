// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops' --symbols --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops{max-product-terms=64}' --symbols --split-input-file | filecheck %s --check-prefix=GIVEN

// 8 parts of 8 blocks of 172 terms, each with an accumulator of its own.
// CHECK-LABEL: @parts
// CHECK: #lir.loop<2, work 11008, inc 1376, dim 1>, #lir.loop<3, work 172, inc 1, dim 1, inner of 4>, #lir.loop<4, work 1376, inc 172, dim 1, inner of 2>
// CHECK: %[[C:.*]] = lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2, 4, 3>
// CHECK-NEXT: %[[S:.*]] = lir.accumulate %[[C]] {kind = "sum", lir.loops = array<i64: 0, 1, 2, 4>
// CHECK-NEXT: lir.accumulate %[[S]] {kind = "sum", lir.loops = array<i64: 0, 1, 2>
// GIVEN-LABEL: @parts
// GIVEN: #lir.loop<2, work 11008, inc 64, dim 1>, #lir.loop<3, work 64, inc 1, dim 1, inner of 2>
func.func @parts(%x: tensor<32x11008xf32>, %y: tensor<11008x64xf32>) -> tensor<32x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<32x11008xf32>, tensor<11008x64xf32>) -> tensor<32x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<32x11008xf32>, tensor<11008x64xf32>) -> tensor<32x64xf32>
    snippets.yield %0 : tensor<32x64xf32>
  }
  func.return %r : tensor<32x64xf32>
}

// -----

// Few rows read a panel a few times: blocks alone.
// CHECK-LABEL: @few_rows
// CHECK: #lir.loop<2, work 11008, inc 256, dim 1>, #lir.loop<3, work 256, inc 1, dim 1, inner of 2>
// CHECK-COUNT-1: lir.accumulate
// CHECK-NOT: lir.accumulate
func.func @few_rows(%x: tensor<31x11008xf32>, %y: tensor<11008x64xf32>) -> tensor<31x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<31x11008xf32>, tensor<11008x64xf32>) -> tensor<31x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<31x11008xf32>, tensor<11008x64xf32>) -> tensor<31x64xf32>
    snippets.yield %0 : tensor<31x64xf32>
  }
  func.return %r : tensor<31x64xf32>
}

// -----

// Nor has a row parts, nor as many rows as a call has.
// CHECK-LABEL: @any_rows
// CHECK: #lir.loop<2, work 11008, inc 256, dim 1>, #lir.loop<3, work 256, inc 1, dim 1, inner of 2>
func.func @any_rows(%x: tensor<?x11008xf32>, %y: tensor<11008x64xf32>) -> tensor<?x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x11008xf32>, tensor<11008x64xf32>) -> tensor<?x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<?x11008xf32>, tensor<11008x64xf32>) -> tensor<?x64xf32>
    snippets.yield %0 : tensor<?x64xf32>
  }
  func.return %r : tensor<?x64xf32>
}

// -----

// 2048 terms of a panel are near, and 8209 is a prime.
// CHECK-LABEL: @near
// CHECK: #lir.loop<2, work 2048, inc 256, dim 1>, #lir.loop<3, work 256, inc 1, dim 1, inner of 2>
func.func @near(%x: tensor<32x2048xf32>, %y: tensor<2048x64xf32>) -> tensor<32x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<32x2048xf32>, tensor<2048x64xf32>) -> tensor<32x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<32x2048xf32>, tensor<2048x64xf32>) -> tensor<32x64xf32>
    snippets.yield %0 : tensor<32x64xf32>
  }
  func.return %r : tensor<32x64xf32>
}

// -----

// CHECK-LABEL: @prime
// CHECK: #lir.loop<2, work 8209, inc 256, dim 1>, #lir.loop<3, work 256, inc 1, dim 1, inner of 2>
func.func @prime(%x: tensor<32x8209xf32>, %y: tensor<8209x64xf32>) -> tensor<32x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<32x8209xf32>, tensor<8209x64xf32>) -> tensor<32x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<32x8209xf32>, tensor<8209x64xf32>) -> tensor<32x64xf32>
    snippets.yield %0 : tensor<32x64xf32>
  }
  func.return %r : tensor<32x64xf32>
}
