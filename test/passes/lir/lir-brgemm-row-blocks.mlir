// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-decompose-softmax,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks' --split-input-file | filecheck %s

// Two products with a softmax between them: 2048 columns of 4 bytes leave 64 rows for a block, and
// equal blocks have 60. Threads share them. The
// softmax walks its rows by itself, and each product has rows of its own.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<0, work 4, inc 1, dim 3, parallel>, #lir.loop<1, work 300, inc 60, dim 2, parallel>
// CHECK-SAME: #lir.loop<[[QK:[0-9]+]], work 60, inc 1, dim 2, inner of 1>, #lir.loop<[[ROWS:[0-9]+]], work 60, inc 1, dim 2, inner of 1>, #lir.loop<[[PV:[0-9]+]], work 60, inc 1, dim 2, inner of 1>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, [[QK]], 2, 3>
// CHECK: lir.accumulate {{.*}} {kind = "max", lir.loops = array<i64: 0, 1, [[ROWS]], 4>
// CHECK: lir.horizon {{.*}} {kind = "max", lir.loops = array<i64: 0, 1, [[ROWS]]>
// CHECK: snippets.divide {{.*}} {lir.loops = array<i64: 0, 1, [[ROWS]], 6>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, [[PV]], 7
func.func @attention(%q: tensor<4x300x64xf32>, %k: tensor<4x64x2048xf32>, %v: tensor<4x2048x64xf32>) -> tensor<4x300x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<4x300x64xf32>, tensor<4x64x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x300x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4x300x64xf32>, tensor<4x64x2048xf32>) -> tensor<4x300x2048xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x300x2048xf32>
    %2 = snippets.matmul %1, %c : (tensor<4x300x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x300x64xf32>
    snippets.yield %2 : tensor<4x300x64xf32>
  }
  func.return %r : tensor<4x300x64xf32>
}

// -----

// Nothing needs the scores above the diagonal: the loops over keys of all parts end there.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<1, work 512, inc 128, dim 2, parallel>, #lir.loop<2, work 512, inc 16, dim 0, diagonal 0 of 1>
// CHECK-SAME: #lir.loop<3, work 64, inc 1, dim 1>
// CHECK-COUNT-4: work 512, inc {{[0-9]+}}, dim {{[01]}}, diagonal 0 of 1>
func.func @causal(%q: tensor<4x512x64xf32>, %k: tensor<4x64x512xf32>, %v: tensor<4x512x64xf32>, %m: tensor<512x512xf32>) -> tensor<4x512x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v, %d = %m) : (tensor<4x512x64xf32>, tensor<4x64x512xf32>, tensor<4x512x64xf32>, tensor<512x512xf32>) -> tensor<4x512x64xf32> {
    %0 = snippets.matmul %a, %b {snippets.diagonal = 0 : i64} : (tensor<4x512x64xf32>, tensor<4x64x512xf32>) -> tensor<4x512x512xf32>
    %1 = snippets.add %0, %d : (tensor<4x512x512xf32>, tensor<512x512xf32>) -> tensor<4x512x512xf32>
    %2 = snippets.softmax %1 {axis = 2 : i64} : tensor<4x512x512xf32>
    %3 = snippets.matmul %2, %c : (tensor<4x512x512xf32>, tensor<4x512x64xf32>) -> tensor<4x512x64xf32>
    snippets.yield %3 : tensor<4x512x64xf32>
  }
  func.return %r : tensor<4x512x64xf32>
}

// -----

// One block needs all keys.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-NOT: diagonal 0 of
func.func @one_block(%q: tensor<4x64x64xf32>, %k: tensor<4x64x64xf32>, %v: tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<4x64x64xf32>, tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32> {
    %0 = snippets.matmul %a, %b {snippets.diagonal = 0 : i64} : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x64x64xf32>
    %2 = snippets.matmul %1, %c : tensor<4x64x64xf32>
    snippets.yield %2 : tensor<4x64x64xf32>
  }
  func.return %r : tensor<4x64x64xf32>
}

// -----

// Nothing to do: the product is alone in its rows, and what follows it is in its tile.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 300, inc 1, dim 2, parallel>, #lir.loop<1, work 96, inc 16, dim 0>, #lir.loop<2, work 64, inc 1, dim 1>]
func.func @alone(%x: tensor<300x64xf32>, %y: tensor<64x96xf32>) -> tensor<300x96xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<300x64xf32>, tensor<64x96xf32>) -> tensor<300x96xf32> {
    %0 = snippets.matmul %a, %b : (tensor<300x64xf32>, tensor<64x96xf32>) -> tensor<300x96xf32>
    %1 = snippets.relu %0 : tensor<300x96xf32>
    snippets.yield %1 : tensor<300x96xf32>
  }
  func.return %r : tensor<300x96xf32>
}

// -----

// No equal blocks of 197 rows, and threads share the loop around: one block.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<0, work 8, inc 1, dim 3, parallel>, #lir.loop<1, work 197, inc 197, dim 2
func.func @prime(%q: tensor<8x197x64xf32>, %k: tensor<8x197x64xf32>, %v: tensor<8x197x64xf32>) -> tensor<8x197x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<8x197x64xf32>, tensor<8x197x64xf32>, tensor<8x197x64xf32>) -> tensor<8x197x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<8x197x64xf32>, tensor<8x197x64xf32>) -> tensor<8x197x197xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<8x197x197xf32>
    %2 = snippets.matmul %1, %c : (tensor<8x197x197xf32>, tensor<8x197x64xf32>) -> tensor<8x197x64xf32>
    snippets.yield %2 : tensor<8x197x64xf32>
  }
  func.return %r : tensor<8x197x64xf32>
}

// -----

// Does not fire: threads share the blocks, which have about as many rows each.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: work 197, inc 104, dim 2, parallel>
func.func @lone(%q: tensor<197x64xf32>, %k: tensor<197x64xf32>, %v: tensor<197x64xf32>) -> tensor<197x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<197x64xf32>, tensor<197x64xf32>, tensor<197x64xf32>) -> tensor<197x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<197x64xf32>, tensor<197x64xf32>) -> tensor<197x197xf32>
    %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<197x197xf32>
    %2 = snippets.matmul %1, %c : (tensor<197x197xf32>, tensor<197x64xf32>) -> tensor<197x64xf32>
    snippets.yield %2 : tensor<197x64xf32>
  }
  func.return %r : tensor<197x64xf32>
}

// -----

// One head keeps no thread busy: the same blocks.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<0, work 197, inc 104, dim 2, parallel>
func.func @one_head(%q: tensor<1x197x64xf32>, %k: tensor<1x197x64xf32>, %v: tensor<1x197x64xf32>) -> tensor<1x197x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<1x197x64xf32>, tensor<1x197x64xf32>, tensor<1x197x64xf32>) -> tensor<1x197x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x197x64xf32>, tensor<1x197x64xf32>) -> tensor<1x197x197xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<1x197x197xf32>
    %2 = snippets.matmul %1, %c : (tensor<1x197x197xf32>, tensor<1x197x64xf32>) -> tensor<1x197x64xf32>
    snippets.yield %2 : tensor<1x197x64xf32>
  }
  func.return %r : tensor<1x197x64xf32>
}

// -----

// A softmax before the only product of a kernel: 128 rows of 512 terms fit, whatever the columns.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<0, work 512, inc 128, dim 2, parallel>
// CHECK-SAME: #lir.loop<[[BEFORE:[0-9]+]], work 128, inc 1, dim 2, inner of 0>, #lir.loop<[[PRODUCT:[0-9]+]], work 128, inc 1, dim 2, inner of 0>]
// CHECK: lir.accumulate {{.*}} {kind = "max", lir.loops = array<i64: 0, [[BEFORE]], 1>
// CHECK: snippets.divide {{.*}} {lir.loops = array<i64: 0, [[BEFORE]], 3>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, [[PRODUCT]], 4
func.func @prologue(%x: tensor<512x512xf32>, %w: tensor<512x4096xf32>) -> tensor<512x4096xf32> {
  %r = snippets.subgraph (%a = %x, %b = %w) : (tensor<512x512xf32>, tensor<512x4096xf32>) -> tensor<512x4096xf32> {
    %0 = snippets.softmax %a {axis = 1 : i64} : tensor<512x512xf32>
    %1 = snippets.matmul %0, %b : (tensor<512x512xf32>, tensor<512x4096xf32>) -> tensor<512x4096xf32>
    snippets.yield %1 : tensor<512x4096xf32>
  }
  func.return %r : tensor<512x4096xf32>
}

// -----

// One block would hold all rows of one head: two blocks are for two threads.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: work 120, inc 60, dim 2, parallel>
func.func @two_blocks(%q: tensor<1x120x64xf32>, %k: tensor<1x120x64xf32>, %v: tensor<1x120x64xf32>) -> tensor<1x120x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<1x120x64xf32>, tensor<1x120x64xf32>, tensor<1x120x64xf32>) -> tensor<1x120x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x120x64xf32>, tensor<1x120x64xf32>) -> tensor<1x120x120xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<1x120x120xf32>
    %2 = snippets.matmul %1, %c : (tensor<1x120x120xf32>, tensor<1x120x64xf32>) -> tensor<1x120x64xf32>
    snippets.yield %2 : tensor<1x120x64xf32>
  }
  func.return %r : tensor<1x120x64xf32>
}

// -----

// An even number of blocks, not the three of 100 rows.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: work 300, inc 75, dim 2, parallel>
func.func @even_blocks(%q: tensor<1x300x64xf32>, %k: tensor<1x300x64xf32>, %v: tensor<1x300x64xf32>) -> tensor<1x300x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<1x300x64xf32>, tensor<1x300x64xf32>, tensor<1x300x64xf32>) -> tensor<1x300x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x300x64xf32>, tensor<1x300x64xf32>) -> tensor<1x300x300xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<1x300x300xf32>
    %2 = snippets.matmul %1, %c : (tensor<1x300x300xf32>, tensor<1x300x64xf32>) -> tensor<1x300x64xf32>
    snippets.yield %2 : tensor<1x300x64xf32>
  }
  func.return %r : tensor<1x300x64xf32>
}

// -----

// Does not fire: few rows do not pay for a second copy of the keys.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: work 60, inc 60, dim 2, parallel>
func.func @few_rows(%q: tensor<1x60x64xf32>, %k: tensor<1x60x64xf32>, %v: tensor<1x60x64xf32>) -> tensor<1x60x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<1x60x64xf32>, tensor<1x60x64xf32>, tensor<1x60x64xf32>) -> tensor<1x60x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<1x60x64xf32>, tensor<1x60x64xf32>) -> tensor<1x60x60xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<1x60x60xf32>
    %2 = snippets.matmul %1, %c : (tensor<1x60x60xf32>, tensor<1x60x64xf32>) -> tensor<1x60x64xf32>
    snippets.yield %2 : tensor<1x60x64xf32>
  }
  func.return %r : tensor<1x60x64xf32>
}
