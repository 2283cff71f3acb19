// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-copy-b' --split-input-file | filecheck %s

// Rows of 4096 bytes: each panel of 64 columns is copied once for all rows.
// CHECK-LABEL: @far
// CHECK: loops [#lir.loop<0, work 36, inc 1, dim 2, jam 6>, #lir.loop<1, work 1024, inc 64, dim 0, parallel>, #lir.loop<2, work 8, inc 1, dim 1>, #lir.loop<3, work 64, inc 16, dim 0, inner of 1, jam 4>, #lir.loop<4, work 8, inc 1, dim 1>, #lir.loop<5, work 64, inc 16, dim 0, inner of 1>]
// CHECK: %[[P:.*]] = lir.brgemm_copy_b {{.*}} {lir.loops = array<i64: 1, 4, 5>
// CHECK-NEXT: lir.brgemm {{.*}}, %[[P]] {lir.loops = array<i64: 1, 0, 3, 2>
func.func @far(%x: tensor<36x8xf32>, %y: tensor<8x1024xf32>) -> tensor<36x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  func.return %r : tensor<36x1024xf32>
}

// -----

// Two vectors of 4096 terms are half of the second-level cache: panels have two, not three.
// CHECK-LABEL: @far_long
// CHECK: #lir.loop<1, work 1024, inc 32, dim 0, parallel>
// CHECK: inner of 1, jam 2>
// CHECK: lir.brgemm_copy_b
func.func @far_long(%x: tensor<64x4096xf32>, %y: tensor<4096x1024xf32>) -> tensor<64x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x4096xf32>, tensor<4096x1024xf32>) -> tensor<64x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x4096xf32>, tensor<4096x1024xf32>) -> tensor<64x1024xf32>
    snippets.yield %0 : tensor<64x1024xf32>
  }
  func.return %r : tensor<64x1024xf32>
}

// -----

// One vector is a cache line: panels of any number of terms have one at least, if a quarter of the last-level cache holds it.
// CHECK-LABEL: @far_longer
// CHECK: #lir.loop<1, work 1024, inc 16, dim 0, parallel>
// CHECK: #lir.loop<3, work 16, inc 16, dim 0, inner of 1>
// CHECK: lir.brgemm_copy_b
func.func @far_longer(%x: tensor<64x32768xf32>, %y: tensor<32768x1024xf32>) -> tensor<64x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x32768xf32>, tensor<32768x1024xf32>) -> tensor<64x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x32768xf32>, tensor<32768x1024xf32>) -> tensor<64x1024xf32>
    snippets.yield %0 : tensor<64x1024xf32>
  }
  func.return %r : tensor<64x1024xf32>
}

// -----

// CHECK-LABEL: @far_longest
// CHECK-NOT: lir.brgemm_copy_b
func.func @far_longest(%x: tensor<64x262144xf32>, %y: tensor<262144x1024xf32>) -> tensor<64x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x262144xf32>, tensor<262144x1024xf32>) -> tensor<64x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<64x262144xf32>, tensor<262144x1024xf32>) -> tensor<64x1024xf32>
    snippets.yield %0 : tensor<64x1024xf32>
  }
  func.return %r : tensor<64x1024xf32>
}

// -----

// A transposed operand is copied by tiles of four terms; the copy has no layout.
// CHECK-LABEL: @turned
// CHECK: #lir.loop<4, work 8, inc 1, dim 1, jam 4>
// CHECK: lir.brgemm_copy_b {{.*}} lir.ports = [#lir.port<[1, 8, 300], layout [2, 0, 1], sub [16]>, #lir.port<[1, 8, 300], sub [16]>]
func.func @turned(%x: tensor<36x8xf32>, %y: tensor<300x8xf32>) -> tensor<36x300xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<300x8xf32>) -> tensor<36x300xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<36x8xf32>, tensor<300x8xf32>) -> tensor<36x300xf32>
    snippets.yield %0 : tensor<36x300xf32>
  }
  func.return %r : tensor<36x300xf32>
}

// -----

// Rows that are not a page apart are read in place, and so are those that few rows use.
// CHECK-LABEL: @near
// CHECK-NOT: lir.brgemm_copy_b
func.func @near(%x: tensor<36x8xf32>, %y: tensor<8x1040xf32>) -> tensor<36x1040xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<8x1040xf32>) -> tensor<36x1040xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1040xf32>) -> tensor<36x1040xf32>
    snippets.yield %0 : tensor<36x1040xf32>
  }
  func.return %r : tensor<36x1040xf32>
}

// -----

// CHECK-LABEL: @few
// CHECK-NOT: lir.brgemm_copy_b
func.func @few(%x: tensor<31x8xf32>, %y: tensor<8x1024xf32>) -> tensor<31x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<31x8xf32>, tensor<8x1024xf32>) -> tensor<31x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<31x8xf32>, tensor<8x1024xf32>) -> tensor<31x1024xf32>
    snippets.yield %0 : tensor<31x1024xf32>
  }
  func.return %r : tensor<31x1024xf32>
}

// -----

// Three passes of tiles read more rows than the first-level cache has ways.
// CHECK-LABEL: @passes
// CHECK: lir.brgemm_copy_b
func.func @passes(%x: tensor<31x9xf32>, %y: tensor<9x1024xf32>) -> tensor<31x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<31x9xf32>, tensor<9x1024xf32>) -> tensor<31x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<31x9xf32>, tensor<9x1024xf32>) -> tensor<31x1024xf32>
    snippets.yield %0 : tensor<31x1024xf32>
  }
  func.return %r : tensor<31x1024xf32>
}

// -----

// Twin: two passes.
// CHECK-LABEL: @two
// CHECK-NOT: lir.brgemm_copy_b
func.func @two(%x: tensor<12x9xf32>, %y: tensor<9x1024xf32>) -> tensor<12x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<12x9xf32>, tensor<9x1024xf32>) -> tensor<12x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<12x9xf32>, tensor<9x1024xf32>) -> tensor<12x1024xf32>
    snippets.yield %0 : tensor<12x1024xf32>
  }
  func.return %r : tensor<12x1024xf32>
}

// -----

// Loops without work never run: no panel is copied in them.
// CHECK-LABEL: @none
// CHECK-NOT: lir.brgemm_copy_b
func.func @none(%x: tensor<0x36x8xf32>, %y: tensor<300x8xf32>) -> tensor<0x36x300xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<0x36x8xf32>, tensor<300x8xf32>) -> tensor<0x36x300xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<0x36x8xf32>, tensor<300x8xf32>) -> tensor<0x36x300xf32>
    snippets.yield %0 : tensor<0x36x300xf32>
  }
  func.return %r : tensor<0x36x300xf32>
}

// -----

// A transposed operand is copied for any number of rows, columns and terms.
// CHECK-LABEL: @any_columns
// CHECK: lir.kernel @subgraph_0
// CHECK: lir.brgemm_copy_b
// CHECK: lir.kernel @subgraph_1
// CHECK: lir.brgemm_copy_b
func.func @any_columns(%x: tensor<?x8xf32, #lir.sizes<?0>>, %y: tensor<?x8xf32, #lir.sizes<?1>>, %z: tensor<300x?xf32, #lir.sizes<?0>>, %u: tensor<36x?xf32, #lir.sizes<?0>>) -> (tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<36x300xf32>) {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<?x8xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
    snippets.yield %0 : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  }
  %s = snippets.subgraph (%a = %u, %b = %z) : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<300x?xf32, #lir.sizes<?0>>) -> tensor<36x300xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<300x?xf32, #lir.sizes<?0>>) -> tensor<36x300xf32>
    snippets.yield %0 : tensor<36x300xf32>
  }
  func.return %r, %s : tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<36x300xf32>
}

// -----

// Twin: three columns, whose copy would be larger than the operand.
// CHECK-LABEL: @less_than_half_a_panel
// CHECK-NOT: lir.brgemm_copy_b
func.func @less_than_half_a_panel(%x: tensor<36x?xf32, #lir.sizes<?0>>, %y: tensor<3x?xf32, #lir.sizes<?0>>) -> tensor<36x3xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<3x?xf32, #lir.sizes<?0>>) -> tensor<36x3xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<3x?xf32, #lir.sizes<?0>>) -> tensor<36x3xf32>
    snippets.yield %0 : tensor<36x3xf32>
  }
  func.return %r : tensor<36x3xf32>
}

// -----

// Eight vectors of 2048 terms are the whole second-level cache: panels of a transposed operand have four.
// CHECK-LABEL: @long
// CHECK: #lir.loop<1, work 2048, inc 64, dim 0, parallel>
// CHECK: inner of 1, jam 4>
// CHECK: lir.brgemm_copy_b
func.func @long(%x: tensor<2x2048xf32>, %y: tensor<2048x2048xf32>) -> tensor<2x2048xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x2048xf32>, tensor<2048x2048xf32>) -> tensor<2x2048xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<2x2048xf32>, tensor<2048x2048xf32>) -> tensor<2x2048xf32>
    snippets.yield %0 : tensor<2x2048xf32>
  }
  func.return %r : tensor<2x2048xf32>
}

// -----

// One vector of 2^18 terms is more than a quarter of the last-level cache: nothing is copied.
// CHECK-LABEL: @longest
// CHECK-NOT: lir.brgemm_copy_b
func.func @longest(%x: tensor<2x262144xf32>, %y: tensor<64x262144xf32>) -> tensor<2x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x262144xf32>, tensor<64x262144xf32>) -> tensor<2x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<2x262144xf32>, tensor<64x262144xf32>) -> tensor<2x64xf32>
    snippets.yield %0 : tensor<2x64xf32>
  }
  func.return %r : tensor<2x64xf32>
}
