// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-split-epilogue' --split-input-file | filecheck %s

// gelu is long: it gets loops of its own over a panel.
// CHECK-LABEL: @long
// CHECK: loops [#lir.loop<0, work 48, inc 1, dim 2, jam 8>, #lir.loop<1, work 576, inc 48, dim 0, parallel>, #lir.loop<2, work 8, inc 1, dim 1>, #lir.loop<3, work 48, inc 16, dim 0, inner of 1, jam 3>, #lir.loop<4, work 48, inc 1, dim 2>, #lir.loop<5, work 48, inc 16, dim 0, inner of 1>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 3, 2>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 1, 4, 5>
func.func @long(%x: tensor<48x8xf32>, %y: tensor<8x576xf32>) -> tensor<48x576xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<48x8xf32>, tensor<8x576xf32>) -> tensor<48x576xf32> {
    %0 = snippets.matmul %a, %b : (tensor<48x8xf32>, tensor<8x576xf32>) -> tensor<48x576xf32>
    %1 = snippets.gelu %0 : tensor<48x576xf32>
    snippets.yield %1 : tensor<48x576xf32>
  }
  func.return %r : tensor<48x576xf32>
}

// -----

// relu is short: it stays beside the accumulators.
// CHECK-LABEL: @short
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// CHECK-NEXT: snippets.relu {{.*}} {lir.loops = array<i64: 1, 0>
func.func @short(%x: tensor<48x8xf32>, %y: tensor<8x528xf32>) -> tensor<48x528xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<48x8xf32>, tensor<8x528xf32>) -> tensor<48x528xf32> {
    %0 = snippets.matmul %a, %b : (tensor<48x8xf32>, tensor<8x528xf32>) -> tensor<48x528xf32>
    %1 = snippets.relu %0 : tensor<48x528xf32>
    snippets.yield %1 : tensor<48x528xf32>
  }
  func.return %r : tensor<48x528xf32>
}

// -----

// Loops without work never run: there is no panel.
// CHECK-LABEL: @none
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 2, 1, 3>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 0, 2, 1>,
func.func @none(%x: tensor<0x48x8xf32>, %y: tensor<0x8x528xf32>) -> tensor<0x48x528xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<0x48x8xf32>, tensor<0x8x528xf32>) -> tensor<0x48x528xf32> {
    %0 = snippets.matmul %a, %b : (tensor<0x48x8xf32>, tensor<0x8x528xf32>) -> tensor<0x48x528xf32>
    %1 = snippets.gelu %0 : tensor<0x48x528xf32>
    snippets.yield %1 : tensor<0x48x528xf32>
  }
  func.return %r : tensor<0x48x528xf32>
}

// -----

// A panel of all rows is too tall for the cache: the product and what follows it go by equal blocks.
// CHECK-LABEL: @tall
// CHECK: #lir.loop<0, work 4096, inc 128, dim 2>
// CHECK-SAME: work 128, inc 1, dim 2, inner of 0, jam {{[0-9]+}}>
// CHECK-SAME: work 128, inc 1, dim 2, inner of 0>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 4, 3, 2>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 1, 0, 5, 6>
func.func @tall(%x: tensor<4096x8xf32>, %y: tensor<8x576xf32>) -> tensor<4096x576xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4096x8xf32>, tensor<8x576xf32>) -> tensor<4096x576xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4096x8xf32>, tensor<8x576xf32>) -> tensor<4096x576xf32>
    %1 = snippets.gelu %0 : tensor<4096x576xf32>
    snippets.yield %1 : tensor<4096x576xf32>
  }
  func.return %r : tensor<4096x576xf32>
}

// -----

// Does not fire: no equal blocks of a number of rows that is prime.
// CHECK-LABEL: @prime
// CHECK-NOT: inner of 0
// CHECK: snippets.gelu {{.*}} {lir.loops = array<i64: 1, 0>
func.func @prime(%x: tensor<4093x8xf32>, %y: tensor<8x576xf32>) -> tensor<4093x576xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4093x8xf32>, tensor<8x576xf32>) -> tensor<4093x576xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4093x8xf32>, tensor<8x576xf32>) -> tensor<4093x576xf32>
    %1 = snippets.gelu %0 : tensor<4093x576xf32>
    snippets.yield %1 : tensor<4093x576xf32>
  }
  func.return %r : tensor<4093x576xf32>
}

// -----

// The rows are outside: the product and what follows it go by equal blocks, in tiles that fill them.
// CHECK-LABEL: @rows_outside
// CHECK: #lir.loop<0, work 2048, inc 128, dim 2, parallel>, #lir.loop<1, work 64, inc 16, dim 0, jam 4>
// CHECK-SAME: #lir.loop<3, work 128, inc 1, dim 2, inner of 0, jam 4>, #lir.loop<4, work 128, inc 1, dim 2, inner of 0>, #lir.loop<5, work 64, inc 16, dim 0>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 3, 1, 2>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 0, 4, 5>
func.func @rows_outside(%x: tensor<2048x64xf32>, %y: tensor<64x64xf32>) -> tensor<2048x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<2048x64xf32>, tensor<64x64xf32>) -> tensor<2048x64xf32>
    %1 = snippets.gelu %0 : tensor<2048x64xf32>
    snippets.yield %1 : tensor<2048x64xf32>
  }
  func.return %r : tensor<2048x64xf32>
}

// -----

// Does not fire: no equal blocks of a number of rows that is prime.
// CHECK-LABEL: @prime_rows_outside
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 0, 1>
func.func @prime_rows_outside(%x: tensor<2053x64xf32>, %y: tensor<64x48xf32>) -> tensor<2053x48xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2053x64xf32>, tensor<64x48xf32>) -> tensor<2053x48xf32> {
    %0 = snippets.matmul %a, %b : (tensor<2053x64xf32>, tensor<64x48xf32>) -> tensor<2053x48xf32>
    %1 = snippets.gelu %0 : tensor<2053x48xf32>
    snippets.yield %1 : tensor<2053x48xf32>
  }
  func.return %r : tensor<2053x48xf32>
}

// -----

// Does not fire: relu is short.
// CHECK-LABEL: @short_rows_outside
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
// CHECK-NEXT: snippets.relu {{.*}} {lir.loops = array<i64: 0, 1>
func.func @short_rows_outside(%x: tensor<2048x64xf32>, %y: tensor<64x48xf32>) -> tensor<2048x48xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2048x64xf32>, tensor<64x48xf32>) -> tensor<2048x48xf32> {
    %0 = snippets.matmul %a, %b : (tensor<2048x64xf32>, tensor<64x48xf32>) -> tensor<2048x48xf32>
    %1 = snippets.relu %0 : tensor<2048x48xf32>
    snippets.yield %1 : tensor<2048x48xf32>
  }
  func.return %r : tensor<2048x48xf32>
}

// -----

// One row: the tile has up to 16 vectors, and its panels are packed. gelu is there once.
// CHECK-LABEL: @one_row
// CHECK: loops [#lir.loop<0, work 3072, inc [[W:[0-9]+]], dim 0, parallel>, #lir.loop<1, work 8, inc 1, dim 1>, #lir.loop<2, work [[W]], inc 16, dim 0, inner of 0, jam {{[0-9]+}}>, #lir.loop<3, work [[W]], inc 16, dim 0, inner of 0>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 2, 1>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 0, 3>
func.func @one_row(%x: tensor<1x8xf32>) -> tensor<1x3072xf32> {
  %y = snippets.constant dense<1.0> : tensor<8x3072xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<8x3072xf32>) -> tensor<1x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x8xf32>, tensor<8x3072xf32>) -> tensor<1x3072xf32>
    %1 = snippets.gelu %0 : tensor<1x3072xf32>
    snippets.yield %1 : tensor<1x3072xf32>
  }
  func.return %r : tensor<1x3072xf32>
}

// -----

// Does not fire: relu is short.
// CHECK-LABEL: @one_row_short
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 2, 1>
// CHECK-NEXT: snippets.relu {{.*}} {lir.loops = array<i64: 0, 2>
func.func @one_row_short(%x: tensor<1x8xf32>) -> tensor<1x3072xf32> {
  %y = snippets.constant dense<1.0> : tensor<8x3072xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<8x3072xf32>) -> tensor<1x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x8xf32>, tensor<8x3072xf32>) -> tensor<1x3072xf32>
    %1 = snippets.relu %0 : tensor<1x3072xf32>
    snippets.yield %1 : tensor<1x3072xf32>
  }
  func.return %r : tensor<1x3072xf32>
}

// -----

// Does not fire: what is read in place has no panels, and lir-brgemm-sum-blocks may take it.
// CHECK-LABEL: @one_row_in_place
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 0>
func.func @one_row_in_place(%x: tensor<1x8xf32>, %y: tensor<8x3072xf32>) -> tensor<1x3072xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<8x3072xf32>) -> tensor<1x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x8xf32>, tensor<8x3072xf32>) -> tensor<1x3072xf32>
    %1 = snippets.gelu %0 : tensor<1x3072xf32>
    snippets.yield %1 : tensor<1x3072xf32>
  }
  func.return %r : tensor<1x3072xf32>
}

// -----

// Does not fire: four threads share the rows, which are outside of the only panel, in tiles of rows.
// CHECK-LABEL: @rows_outside_of_one_panel
// CHECK: loops [#lir.loop<0, work 30, inc 1, dim 2, parallel, jam {{[0-9]+}}>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 3, 2>
// CHECK-NEXT: snippets.gelu {{.*}} {lir.loops = array<i64: 0, 1, 3>
module attributes {snippets.threads = 4 : i64} {
  func.func @rows_outside_of_one_panel(%x: tensor<30x8xf32>) -> tensor<30x32xf32> {
    %y = snippets.constant dense<1.0> : tensor<32x8xf32>
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<30x8xf32>, tensor<32x8xf32>) -> tensor<30x32xf32> {
      %0 = snippets.matmul %a, %b {transpose_b} : (tensor<30x8xf32>, tensor<32x8xf32>) -> tensor<30x32xf32>
      %1 = snippets.gelu %0 : tensor<30x32xf32>
      snippets.yield %1 : tensor<30x32xf32>
    }
    func.return %r : tensor<30x32xf32>
  }
}
