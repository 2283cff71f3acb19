// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-pack-constants' --split-input-file --explain=lir-brgemm-pack-constants 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=WHY --input-file=%t.plan

// A constant is packed in panels as wide as the register tile.
// WHY: lir.brgemm, its constant in panels of 64 columns
// CHECK-LABEL: @packed
// CHECK: snippets.constant #snippets.panels<dense<1.000000e+00> : tensor<8x1024xf32>, width 64> : tensor<16x8x64xf32>
// CHECK: lir.kernel @subgraph_0 "marked" (%{{.*}}: tensor<36x8xf32>, %[[B:.*]]: tensor<16x8x64xf32>)
// CHECK-SAME: loops [#lir.loop<0, work 36, inc 1, dim 2, jam 6>, #lir.loop<1, work 1024, inc 64, dim 0, parallel>, #lir.loop<2, work 8, inc 1, dim 1>, #lir.loop<3, work 64, inc 16, dim 0, inner of 1, jam 4>]
// CHECK: %[[M:.*]] = lir.panels %[[B]]
// CHECK: lir.brgemm {{.*}}, %[[M]] {lir.loops = array<i64: 1, 0, 3, 2>
// CHECK-SAME: #lir.port<[1, 8, 1024], panels 64, sub [16]>
func.func @packed(%x: tensor<36x8xf32>) -> tensor<36x1024xf32> {
  %y = snippets.constant dense<1.0> : tensor<8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  func.return %r : tensor<36x1024xf32>
}

// -----

// Transposed, and in a file.
// WHY: lir.brgemm, its constant, transposed, in panels of 32 columns
// CHECK-LABEL: @transposed
// CHECK: snippets.constant #snippets.panels<#snippets.resource<"w.npy", "w", "00"> : tensor<300x8xf32>, transposed, width 32> : tensor<10x8x32xf32>
func.func @transposed(%x: tensor<36x8xf32>) -> tensor<36x300xf32> {
  %y = snippets.constant #snippets.resource<"w.npy", "w", "00"> : tensor<300x8xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<300x8xf32>) -> tensor<36x300xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<36x8xf32>, tensor<300x8xf32>) -> tensor<36x300xf32>
    snippets.yield %0 : tensor<36x300xf32>
  }
  func.return %r : tensor<36x300xf32>
}

// -----

// WHY: lir.brgemm, its constant in panels of 256 columns
// CHECK-LABEL: @row
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 2, 1>
func.func @row(%x: tensor<1x8xf32>) -> tensor<1x2048xf32> {
  %y = snippets.constant dense<1.0> : tensor<8x2048xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<8x2048xf32>) -> tensor<1x2048xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1x8xf32>, tensor<8x2048xf32>) -> tensor<1x2048xf32>
    snippets.yield %0 : tensor<1x2048xf32>
  }
  func.return %r : tensor<1x2048xf32>
}

// -----

// Two calls of one kernel, both with constants.
// WHY: lir.brgemm, its constant in panels of 64 columns
// CHECK-LABEL: @twice
// CHECK-COUNT-2: snippets.constant #snippets.panels<
func.func @twice(%x: tensor<36x8xf32>) -> (tensor<36x1024xf32>, tensor<36x1024xf32>) {
  %y = snippets.constant dense<1.0> : tensor<8x1024xf32>
  %z = snippets.constant dense<2.0> : tensor<8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  %s = snippets.subgraph (%a = %x, %b = %z) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  func.return %r, %s : tensor<36x1024xf32>, tensor<36x1024xf32>
}

// -----

// One of the two calls has no constant.
// WHY: no right operand is constant
// CHECK-LABEL: @variable
// CHECK-NOT: #snippets.panels
func.func @variable(%x: tensor<36x8xf32>, %z: tensor<8x1024xf32>) -> (tensor<36x1024xf32>, tensor<36x1024xf32>) {
  %y = snippets.constant dense<1.0> : tensor<8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  %s = snippets.subgraph (%a = %x, %b = %z) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  func.return %r, %s : tensor<36x1024xf32>, tensor<36x1024xf32>
}

// -----

// There is one copy: what else reads the constant has it as it is.
// WHY: its constant stays as it is: func.return reads it, too
// CHECK-LABEL: @shared
// CHECK-NOT: #snippets.panels
func.func @shared(%x: tensor<36x8xf32>) -> (tensor<36x1024xf32>, tensor<8x1024xf32>) {
  %y = snippets.constant dense<1.0> : tensor<8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    snippets.yield %0 : tensor<36x1024xf32>
  }
  func.return %r, %y : tensor<36x1024xf32>, tensor<8x1024xf32>
}

// -----

// WHY: its constant stays as it is: another op of the kernel reads it
// CHECK-LABEL: @residual
func.func @residual(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = snippets.constant dense<1.0> : tensor<1024x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
    %0 = snippets.matmul %a, %b : tensor<1024x1024xf32>
    %1 = snippets.add %0, %b : tensor<1024x1024xf32>
    snippets.yield %1 : tensor<1024x1024xf32>
  }
  func.return %r : tensor<1024x1024xf32>
}

// -----

// WHY: its constant stays as it is: the rows are outside
// CHECK-LABEL: @tall
func.func @tall(%x: tensor<4096x8xf32>) -> tensor<4096x64xf32> {
  %y = snippets.constant dense<1.0> : tensor<8x64xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4096x8xf32>, tensor<8x64xf32>) -> tensor<4096x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4096x8xf32>, tensor<8x64xf32>) -> tensor<4096x64xf32>
    snippets.yield %0 : tensor<4096x64xf32>
  }
  func.return %r : tensor<4096x64xf32>
}

// -----

// The rows are outside, but the columns lie apart: in a panel they lie side by side.
// WHY: its constant, transposed, in panels of 16 columns
// CHECK-LABEL: @turned
// CHECK: snippets.constant #snippets.panels<dense<1.000000e+00> : tensor<9x64xf32>, transposed, width 16> : tensor<1x64x16xf32>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 3, 2>
// CHECK-SAME: #lir.port<[1, 64, 9], panels 16
module attributes {snippets.threads = 2 : i64} {
func.func @turned(%x: tensor<4096x64xf32>) -> tensor<4096x9xf32> {
  %y = snippets.constant dense<1.0> : tensor<9x64xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4096x64xf32>, tensor<9x64xf32>) -> tensor<4096x9xf32> {
    %0 = snippets.matmul %a, %b {transpose_b} : (tensor<4096x64xf32>, tensor<9x64xf32>) -> tensor<4096x9xf32>
    snippets.yield %0 : tensor<4096x9xf32>
  }
  func.return %r : tensor<4096x9xf32>
}
}

// -----

// WHY: its constant stays as it is: it is a batch of matrices, or reshaped
// CHECK-LABEL: @batch
func.func @batch(%x: tensor<3x36x8xf32>) -> tensor<3x36x1024xf32> {
  %y = snippets.constant dense<1.0> : tensor<3x8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x36x8xf32>, tensor<3x8x1024xf32>) -> tensor<3x36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3x36x8xf32>, tensor<3x8x1024xf32>) -> tensor<3x36x1024xf32>
    snippets.yield %0 : tensor<3x36x1024xf32>
  }
  func.return %r : tensor<3x36x1024xf32>
}

// -----

// The call may decide about the rows.
// WHY: lir.brgemm, its constant in panels of 64 columns
// CHECK-LABEL: @any_rows
// CHECK: lir.kernel
// CHECK-SAME: loops [#lir.loop<0, work ?0, inc 1, dim 2, jam 4>, #lir.loop<1, work 1024, inc 64, dim 0, parallel>
// CHECK: lir.panels
func.func @any_rows(%x: tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
  %y = snippets.constant dense<1.0> : tensor<8x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
    %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
    snippets.yield %0 : tensor<?x1024xf32, #lir.sizes<?0>>
  }
  func.return %r : tensor<?x1024xf32, #lir.sizes<?0>>
}
