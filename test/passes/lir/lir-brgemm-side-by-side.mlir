// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-copy-b,lir-brgemm-split-epilogue' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking' --split-input-file --explain=lir-brgemm-blocking 2>&1 | filecheck %s --check-prefix=TILE

// Products side by side have one loop over the sum, and two vectors each in a tile of 6 x 4. Both constants are packed in
// panels of 32 columns, and what follows is short enough for the tile.
// TILE: rows in loop 0, columns in loop 1: 6 rows x 2 vectors of 2 products, columns outside
// CHECK-LABEL: @constants
// CHECK: loops [#lir.loop<0, work 36, inc 1, dim 2, jam 6>, #lir.loop<1, work 1024, inc 32, dim 0, parallel>, #lir.loop<2, work 8, inc 1, dim 1>, #lir.loop<3, work 32, inc 16, dim 0, inner of 1, jam 2>]
// CHECK-COUNT-2: = lir.panels
// CHECK: %[[G:.*]] = lir.brgemm %[[A:[0-9]+]], %{{.*}} {lir.loops = array<i64: 1, 0, 3, 2>
// CHECK: %[[U:.*]] = lir.brgemm %[[A]], %{{.*}} {lir.loops = array<i64: 1, 0, 3, 2>
// CHECK: snippets.multiply %[[G]], %[[U]] {lir.loops = array<i64: 1, 0, 3>
func.func @constants(%x: tensor<36x8xf32>) -> tensor<36x1024xf32> {
  %w = snippets.constant dense<1.0> : tensor<8x1024xf32>
  %v = snippets.constant dense<2.0> : tensor<8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %w, %c = %v) : (tensor<36x8xf32>, tensor<8x1024xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    %1 = snippets.matmul %a, %c : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    %2 = snippets.multiply %0, %1 : tensor<36x1024xf32>
    snippets.yield %2 : tensor<36x1024xf32>
  }
  func.return %r : tensor<36x1024xf32>
}

// -----

// Operands whose rows lie badly are copied, each into a panel; what is long has loops of its own, once.
// TILE: rows in loop 0, columns in loop 1: 6 rows x 2 vectors of 2 products, columns outside
// CHECK-LABEL: @copies
// CHECK-COUNT-2: lir.brgemm_copy_b
// CHECK-NOT: lir.brgemm_copy_b
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 3, 2>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 3, 2>
// CHECK: snippets.gelu {{.*}} {lir.loops = array<i64: 1, [[R:[0-9]+]], [[C:[0-9]+]]>
// CHECK: snippets.multiply {{.*}} {lir.loops = array<i64: 1, [[R]], [[C]]>
func.func @copies(%x: tensor<36x8xf32>, %w: tensor<8x1024xf32>, %v: tensor<8x1024xf32>) -> tensor<36x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %w, %c = %v) : (tensor<36x8xf32>, tensor<8x1024xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    %1 = snippets.gelu %0 : tensor<36x1024xf32>
    %2 = snippets.matmul %a, %c : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    %3 = snippets.multiply %1, %2 : tensor<36x1024xf32>
    snippets.yield %3 : tensor<36x1024xf32>
  }
  func.return %r : tensor<36x1024xf32>
}

// -----

// Three of one row: four vectors of each.
// TILE: columns in loop 0: 1 rows x 4 vectors of 3 products
// CHECK-LABEL: @one_row
// CHECK-COUNT-3: lir.brgemm
func.func @one_row(%x: tensor<1x8xf32>, %w: tensor<8x1000xf32>, %v: tensor<8x1000xf32>, %u: tensor<8x1000xf32>) -> (tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<1x1000xf32>) {
  %r:3 = snippets.subgraph (%a = %x, %b = %w, %c = %v, %d = %u) : (tensor<1x8xf32>, tensor<8x1000xf32>, tensor<8x1000xf32>, tensor<8x1000xf32>) -> (tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<1x1000xf32>) {
    %0 = snippets.matmul %a, %b : (tensor<1x8xf32>, tensor<8x1000xf32>) -> tensor<1x1000xf32>
    %1 = snippets.matmul %a, %c : (tensor<1x8xf32>, tensor<8x1000xf32>) -> tensor<1x1000xf32>
    %2 = snippets.matmul %a, %d : (tensor<1x8xf32>, tensor<8x1000xf32>) -> tensor<1x1000xf32>
    snippets.yield %0, %1, %2 : tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<1x1000xf32>
  }
  func.return %r#0, %r#1, %r#2 : tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<1x1000xf32>
}

// -----

// Twin: the second product reads what follows from the first one; each has a tile of its own.
// TILE: rows in loop {{.*}}: {{[0-9]+}} rows x {{[0-9]+}} vectors, {{.*}} outside
// TILE: rows in loop {{.*}}: {{[0-9]+}} rows x {{[0-9]+}} vectors, {{.*}} outside
// CHECK-LABEL: @one_after_the_other
func.func @one_after_the_other(%x: tensor<36x8xf32>, %w: tensor<8x24xf32>, %v: tensor<24x40xf32>) -> tensor<36x40xf32> {
  %r = snippets.subgraph (%a = %x, %b = %w, %c = %v) : (tensor<36x8xf32>, tensor<8x24xf32>, tensor<24x40xf32>) -> tensor<36x40xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x24xf32>) -> tensor<36x24xf32>
    %1 = snippets.matmul %0, %c : (tensor<36x24xf32>, tensor<24x40xf32>) -> tensor<36x40xf32>
    snippets.yield %1 : tensor<36x40xf32>
  }
  func.return %r : tensor<36x40xf32>
}
