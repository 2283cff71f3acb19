// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids threads=2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-left-blocks' --split-input-file --explain-plan=lir-brgemm-left-blocks 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-left-blocks' --split-input-file --explain-plan=lir-brgemm-left-blocks 2>&1 | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids threads=2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-split-loops,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-pack-constants,lir-brgemm-left-blocks{room=0}' --split-input-file --explain-plan=lir-brgemm-left-blocks 2>&1 | filecheck %s --check-prefix=NEVER
// RUN: not snippets-opt %s -p 'lir-brgemm-left-blocks{room=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS

// REJECTS: error: pass 'lir-brgemm-left-blocks': expected bytes, or -1 for the target's, found room=-2

// NEVER-NOT: for each block

// 1.5 MiB of rows: 128 rows of 3 KiB are the largest block of 512 KiB. Threads share both loops.
// PLAN-LABEL: lir-brgemm-left-blocks: @subgraph_0
// PLAN: lir.brgemm: all panels for each block of 128 rows
// CHECK-LABEL: @fires
// CHECK: loops [#lir.loop<0, work 512, inc 128, dim 2, parallel>, #lir.loop<1, work 3072, inc [[W:[0-9]+]], dim 0, parallel>, #lir.loop<2, work 768, inc 192, dim 1>, #lir.loop<3, work 192, inc 1, dim 1, inner of 2>, #lir.loop<4, work [[W]], inc 16, dim 0, inner of 1, jam 3>, #lir.loop<5, work 128, inc 1, dim 2, inner of 0, jam 8>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 5, 4, 2, 3>
// CHECK: snippets.relu {{.*}} {lir.loops = array<i64: 0, 1, 5, 4>
func.func @fires(%x: tensor<512x768xf32>) -> tensor<512x3072xf32> {
  %y = snippets.constant dense<1.0> : tensor<768x3072xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x768xf32>, tensor<768x3072xf32>) -> tensor<512x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x768xf32>, tensor<768x3072xf32>) -> tensor<512x3072xf32>
    %1 = snippets.relu %0 : tensor<512x3072xf32>
    snippets.yield %1 : tensor<512x3072xf32>
  }
  func.return %r : tensor<512x3072xf32>
}

// -----

// The rows have 512 KiB.
// PLAN: all rows for each panel
// CHECK-LABEL: @fits
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, {{.*}}>
func.func @fits(%x: tensor<512x256xf32>) -> tensor<512x1024xf32> {
  %y = snippets.constant dense<1.0> : tensor<256x1024xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
    snippets.yield %0 : tensor<512x1024xf32>
  }
  func.return %r : tensor<512x1024xf32>
}

// -----

// 32 rows would fit: too few for a panel.
// PLAN: all rows for each panel
// CHECK-LABEL: @many_terms
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, {{.*}}>
func.func @many_terms(%x: tensor<512x3072xf32>) -> tensor<512x768xf32> {
  %y = snippets.constant dense<1.0> : tensor<3072x768xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x3072xf32>, tensor<3072x768xf32>) -> tensor<512x768xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x3072xf32>, tensor<3072x768xf32>) -> tensor<512x768xf32>
    snippets.yield %0 : tensor<512x768xf32>
  }
  func.return %r : tensor<512x768xf32>
}

// -----

// 499 rows have no equal blocks.
// PLAN: all rows for each panel
// CHECK-LABEL: @uneven
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, {{.*}}>
func.func @uneven(%x: tensor<499x768xf32>) -> tensor<499x3072xf32> {
  %y = snippets.constant dense<1.0> : tensor<768x3072xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<499x768xf32>, tensor<768x3072xf32>) -> tensor<499x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<499x768xf32>, tensor<768x3072xf32>) -> tensor<499x3072xf32>
    snippets.yield %0 : tensor<499x3072xf32>
  }
  func.return %r : tensor<499x3072xf32>
}

// -----

// The right operand is copied in the call: each block would copy it again.
// PLAN: all rows for each panel
// CHECK-LABEL: @argument
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, {{.*}}>
func.func @argument(%x: tensor<512x768xf32>, %y: tensor<768x3072xf32>) -> tensor<512x3072xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x768xf32>, tensor<768x3072xf32>) -> tensor<512x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x768xf32>, tensor<768x3072xf32>) -> tensor<512x3072xf32>
    snippets.yield %0 : tensor<512x3072xf32>
  }
  func.return %r : tensor<512x3072xf32>
}

// -----

// Rows of 4 KiB.
// PLAN: all rows for each panel
// CHECK-LABEL: @pages
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, {{.*}}>
func.func @pages(%x: tensor<512x1024xf32>) -> tensor<512x3072xf32> {
  %y = snippets.constant dense<1.0> : tensor<1024x3072xf32>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x1024xf32>, tensor<1024x3072xf32>) -> tensor<512x3072xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x1024xf32>, tensor<1024x3072xf32>) -> tensor<512x3072xf32>
    snippets.yield %0 : tensor<512x3072xf32>
  }
  func.return %r : tensor<512x3072xf32>
}

// -----

// 72 rows of doubles are tiles of 6 rows, and divide 576.
// PLAN: all panels for each block of 72 rows
// CHECK-LABEL: @doubles
// CHECK: #lir.loop<0, work 576, inc 72, dim 2, parallel>
func.func @doubles(%x: tensor<576x700xf64>) -> tensor<576x3072xf64> {
  %y = snippets.constant dense<1.0> : tensor<700x3072xf64>
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<576x700xf64>, tensor<700x3072xf64>) -> tensor<576x3072xf64> {
    %0 = snippets.matmul %a, %b : (tensor<576x700xf64>, tensor<700x3072xf64>) -> tensor<576x3072xf64>
    snippets.yield %0 : tensor<576x3072xf64>
  }
  func.return %r : tensor<576x3072xf64>
}
