// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops' --split-input-file | filecheck %s

// Rule F8. The second product reads its terms in the order of the first one's columns. Its loop over
// columns, of equal work, stays apart, and so does that over terms.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
// CHECK: snippets.relu {{.*}} {lir.loops = array<i64: 0, 1>
// CHECK: snippets.transpose
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 3, 4>
func.func @two(%x: tensor<9x16xf32>, %y: tensor<16x16xf32>) -> tensor<9x16xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<9x16xf32> {
    %0 = snippets.matmul %a, %b : (tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<9x16xf32>
    %1 = snippets.relu %0 : tensor<9x16xf32>
    %2 = snippets.matmul %1, %b : (tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<9x16xf32>
    snippets.yield %2 : tensor<9x16xf32>
  }
  func.return %r : tensor<9x16xf32>
}

// -----

// Rule F9. The maximum of rows is not in the loop over columns of the product.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
// CHECK: snippets.relu {{.*}} {lir.loops = array<i64: 0, 1>
// CHECK: lir.accumulate {{.*}} {kind = "max", lir.loops = array<i64: 0, 3>
func.func @rows(%x: tensor<9x16xf32>, %y: tensor<16x16xf32>) -> tensor<9x1xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<9x1xf32> {
    %0 = snippets.matmul %a, %b : (tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<9x16xf32>
    %1 = snippets.relu %0 : tensor<9x16xf32>
    %2 = snippets.reduce_max %1 {axes = array<i64: 1>, keep_dims} : (tensor<9x16xf32>) -> tensor<9x1xf32>
    snippets.yield %2 : tensor<9x1xf32>
  }
  func.return %r : tensor<9x1xf32>
}

// -----

// Two products of one left operand share their loops; what divides the rows of the first one stays
// out of the loop over the columns of the second one (F12).
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, [[COLUMNS:[0-9]+]], [[TERMS:[0-9]+]]>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, [[COLUMNS]], [[TERMS]]>
// CHECK: lir.accumulate {{.*}} {kind = "max", lir.loops = array<i64: 0, [[MAX:[0-9]+]]>
// CHECK: snippets.divide {{.*}} {lir.loops = array<i64: 0, [[DIVIDED:[0-9]+]]>
func.func @side_by_side(%x: tensor<32x5xf32>, %v: tensor<5x17xf32>, %w: tensor<5x17xf32>) -> (tensor<32x17xf32>, tensor<32x17xf32>) {
  %r:2 = snippets.subgraph (%a = %x, %b = %v, %c = %w) : (tensor<32x5xf32>, tensor<5x17xf32>, tensor<5x17xf32>) -> (tensor<32x17xf32>, tensor<32x17xf32>) {
    %0 = snippets.matmul %a, %b : (tensor<32x5xf32>, tensor<5x17xf32>) -> tensor<32x17xf32>
    %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : (tensor<32x17xf32>) -> tensor<32x1xf32>
    %2 = snippets.divide %0, %1 : (tensor<32x17xf32>, tensor<32x1xf32>) -> tensor<32x17xf32>
    %3 = snippets.matmul %a, %c : (tensor<32x5xf32>, tensor<5x17xf32>) -> tensor<32x17xf32>
    snippets.yield %2, %3 : tensor<32x17xf32>, tensor<32x17xf32>
  }
  func.return %r#0, %r#1 : tensor<32x17xf32>, tensor<32x17xf32>
}

// -----

// Rule F6. One instruction on a mask that all heads share is in their loop, which threads share.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 4, inc 1, dim 3, parallel>
func.func @mask(%x: tensor<4x9x16xf32>, %y: tensor<4x16x24xf32>, %m: tensor<1x9x24xf32>) -> tensor<4x9x24xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %m) : (tensor<4x9x16xf32>, tensor<4x16x24xf32>, tensor<1x9x24xf32>) -> tensor<4x9x24xf32> {
    %0 = snippets.abs %c : tensor<1x9x24xf32>
    %1 = snippets.matmul %a, %b : (tensor<4x9x16xf32>, tensor<4x16x24xf32>) -> tensor<4x9x24xf32>
    %2 = snippets.add %1, %0 : (tensor<4x9x24xf32>, tensor<1x9x24xf32>) -> tensor<4x9x24xf32>
    snippets.yield %2 : tensor<4x9x24xf32>
  }
  func.return %r : tensor<4x9x24xf32>
}

// -----

// Does not fire: exp has many instructions (F6).
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 1, inc 1, dim 3>
func.func @costly_mask(%x: tensor<4x9x16xf32>, %y: tensor<4x16x24xf32>, %m: tensor<1x9x24xf32>) -> tensor<4x9x24xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %m) : (tensor<4x9x16xf32>, tensor<4x16x24xf32>, tensor<1x9x24xf32>) -> tensor<4x9x24xf32> {
    %0 = snippets.exp %c : tensor<1x9x24xf32>
    %1 = snippets.matmul %a, %b : (tensor<4x9x16xf32>, tensor<4x16x24xf32>) -> tensor<4x9x24xf32>
    %2 = snippets.add %1, %0 : (tensor<4x9x24xf32>, tensor<1x9x24xf32>) -> tensor<4x9x24xf32>
    snippets.yield %2 : tensor<4x9x24xf32>
  }
  func.return %r : tensor<4x9x24xf32>
}

// -----

// An op before the product that the product does not need goes after it: it is part of the epilogue.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: lir.brgemm
// CHECK-NEXT: %[[E:.*]] = snippets.exp
// CHECK-NEXT: snippets.add {{.*}}%[[E]]
func.func @before(%x: tensor<32x5xf32>, %v: tensor<5x17xf32>, %c: tensor<32x17xf32>) -> tensor<32x17xf32> {
  %r = snippets.subgraph (%a = %x, %b = %v, %d = %c) : (tensor<32x5xf32>, tensor<5x17xf32>, tensor<32x17xf32>) -> tensor<32x17xf32> {
    %0 = snippets.exp %d : tensor<32x17xf32>
    %1 = snippets.matmul %a, %b : (tensor<32x5xf32>, tensor<5x17xf32>) -> tensor<32x17xf32>
    %2 = snippets.add %1, %0 : tensor<32x17xf32>
    snippets.yield %2 : tensor<32x17xf32>
  }
  func.return %r : tensor<32x17xf32>
}

// -----

// Twin: the product needs it.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK: snippets.exp
// CHECK: lir.brgemm
func.func @needed(%x: tensor<32x5xf32>, %v: tensor<5x17xf32>) -> tensor<32x17xf32> {
  %r = snippets.subgraph (%a = %x, %b = %v) : (tensor<32x5xf32>, tensor<5x17xf32>) -> tensor<32x17xf32> {
    %0 = snippets.exp %a : tensor<32x5xf32>
    %1 = snippets.matmul %0, %b : (tensor<32x5xf32>, tensor<5x17xf32>) -> tensor<32x17xf32>
    snippets.yield %1 : tensor<32x17xf32>
  }
  func.return %r : tensor<32x17xf32>
}
