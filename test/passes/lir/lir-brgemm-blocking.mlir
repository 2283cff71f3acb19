// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking' --split-input-file | filecheck %s

// Panels of columns are outside, and threads share them.
// CHECK-LABEL: @square
// CHECK: lir.kernel {{.*}} loops [#lir.loop<0, work 512, inc 1, dim 2, jam 6>, #lir.loop<1, work 1024, inc 16, dim 0, parallel, jam 4>, #lir.loop<2, work 40, inc 1, dim 1>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// CHECK: snippets.relu {{.*}} {lir.loops = array<i64: 1, 0>
func.func @square(%x: tensor<512x40xf32>, %y: tensor<40x1024xf32>) -> tensor<512x1024xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x40xf32>, tensor<40x1024xf32>) -> tensor<512x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x40xf32>, tensor<40x1024xf32>) -> tensor<512x1024xf32>
    %1 = snippets.relu %0 : tensor<512x1024xf32>
    snippets.yield %1 : tensor<512x1024xf32>
  }
  func.return %r : tensor<512x1024xf32>
}

// -----

// Too few panels: the rows are outside.
// CHECK-LABEL: @tall
// CHECK: loops [#lir.loop<0, work 4096, inc 1, dim 2, parallel, jam 6>, #lir.loop<1, work 64, inc 16, dim 0, jam 4>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @tall(%x: tensor<4096x64xf32>, %y: tensor<64x64xf32>) -> tensor<4096x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
    snippets.yield %0 : tensor<4096x64xf32>
  }
  func.return %r : tensor<4096x64xf32>
}

// -----

// Few panels of an operand that is transposed: it is copied by panels, and the columns are outside.
// CHECK-LABEL: @turned
// CHECK: loops [#lir.loop<0, work 4096, inc 1, dim 2, jam {{[0-9]+}}>, #lir.loop<1, work 64, inc 16, dim 0, parallel, jam {{[12]}}>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
module attributes {snippets.threads = 2 : i64} {
func.func @turned(%x: tensor<4096x64xf32>, %y: tensor<64x64xf32>) -> tensor<4096x64xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
    snippets.yield %0 : tensor<4096x64xf32>
  }
  func.return %r : tensor<4096x64xf32>
}
}

// -----

// One vector of such columns: a thread would get none.
// CHECK-LABEL: @turned_narrow
// CHECK: loops [#lir.loop<0, work 4096, inc 1, dim 2, parallel, jam {{[0-9]+}}>, #lir.loop<1, work 9, inc 16, dim 0
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
module attributes {snippets.threads = 2 : i64} {
func.func @turned_narrow(%x: tensor<4096x64xf32>, %y: tensor<9x64xf32>) -> tensor<4096x9xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4096x64xf32>, tensor<9x64xf32>) -> tensor<4096x9xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<4096x64xf32>, tensor<9x64xf32>) -> tensor<4096x9xf32>
    snippets.yield %0 : tensor<4096x9xf32>
  }
  func.return %r : tensor<4096x9xf32>
}
}

// -----

// Threads share the batch. One row has no loop, and sixteen vectors of columns.
// CHECK-LABEL: @rows
// CHECK: loops [#lir.loop<0, work 5, inc 1, dim 2, parallel>, #lir.loop<1, work 256, inc 16, dim 0, jam 16>, #lir.loop<2, work 40, inc 1, dim 1>]
func.func @rows(%x: tensor<5x1x40xf32>, %y: tensor<5x40x256xf32>) -> tensor<5x1x256xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<5x1x40xf32>, tensor<5x40x256xf32>) -> tensor<5x1x256xf32> {
    %0 = snippets.matmul %a, %b : (tensor<5x1x40xf32>, tensor<5x40x256xf32>) -> tensor<5x1x256xf32>
    snippets.yield %0 : tensor<5x1x256xf32>
  }
  func.return %r : tensor<5x1x256xf32>
}

// -----

// A batch that threads cannot share evenly is divided, too: by panels of columns here.
// CHECK-LABEL: @uneven
// CHECK: loops [#lir.loop<0, work 3, inc 1, dim 3, parallel>, #lir.loop<1, work 64, inc 1, dim 2, jam 8>, #lir.loop<2, work 384, inc 16, dim 0, parallel, jam 3>, #lir.loop<3, work 40, inc 1, dim 1>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 2, 1, 3>
// CHECK: snippets.relu {{.*}} {lir.loops = array<i64: 0, 2, 1>
module attributes {snippets.threads = 2 : i64} {
func.func @uneven(%x: tensor<3x64x40xf32>, %y: tensor<3x40x384xf32>) -> tensor<3x64x384xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x64x40xf32>, tensor<3x40x384xf32>) -> tensor<3x64x384xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3x64x40xf32>, tensor<3x40x384xf32>) -> tensor<3x64x384xf32>
    %1 = snippets.relu %0 : tensor<3x64x384xf32>
    snippets.yield %1 : tensor<3x64x384xf32>
  }
  func.return %r : tensor<3x64x384xf32>
}
}

// -----

// Matrices of one panel are divided by tiles of rows.
// CHECK-LABEL: @one_panel
// CHECK: loops [#lir.loop<0, work 13, inc 1, dim 3, parallel>, #lir.loop<1, work 10, inc 1, dim 2, parallel, jam 5>, #lir.loop<2, work 36, inc 16, dim 0, jam 3>, #lir.loop<3, work 900, inc 1, dim 1>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2, 3>
module attributes {snippets.threads = 2 : i64} {
func.func @one_panel(%x: tensor<13x10x900xf32>, %y: tensor<13x900x36xf32>) -> tensor<13x10x36xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<13x10x900xf32>, tensor<13x900x36xf32>) -> tensor<13x10x36xf32> {
    %0 = snippets.matmul %a, %b : (tensor<13x10x900xf32>, tensor<13x900x36xf32>) -> tensor<13x10x36xf32>
    snippets.yield %0 : tensor<13x10x36xf32>
  }
  func.return %r : tensor<13x10x36xf32>
}
}

// -----

// An even one is not.
// CHECK-LABEL: @even
// CHECK: loops [#lir.loop<0, work 4, inc 1, dim 3, parallel>, #lir.loop<1, work 64, inc 1, dim 2, jam 8>, #lir.loop<2, work 384, inc 16, dim 0, jam 3>, #lir.loop<3, work 40, inc 1, dim 1>]
module attributes {snippets.threads = 2 : i64} {
func.func @even(%x: tensor<4x64x40xf32>, %y: tensor<4x40x384xf32>) -> tensor<4x64x384xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x64x40xf32>, tensor<4x40x384xf32>) -> tensor<4x64x384xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4x64x40xf32>, tensor<4x40x384xf32>) -> tensor<4x64x384xf32>
    snippets.yield %0 : tensor<4x64x384xf32>
  }
  func.return %r : tensor<4x64x384xf32>
}
}

// -----

// Nothing to do without a product.
// CHECK-LABEL: @none
// CHECK-NOT: jam
func.func @none(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<512x1024xf32>) -> tensor<512x1024xf32> {
    %1 = snippets.relu %a : tensor<512x1024xf32>
    snippets.yield %1 : tensor<512x1024xf32>
  }
  func.return %r : tensor<512x1024xf32>
}
