// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=znver5 threads=2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking' --symbols --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking' --symbols --split-input-file | filecheck %s --check-prefix=PLAIN

// With the rows outside, each tile of rows would read 0.9 MiB from the second-level cache or the next one.
// CHECK-LABEL: @large_right
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// PLAIN-LABEL: @large_right
// PLAIN: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @large_right(%x: tensor<3400x600xf32>, %y: tensor<600x400xf32>) -> tensor<3400x400xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3400x600xf32>, tensor<600x400xf32>) -> tensor<3400x400xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3400x600xf32>, tensor<600x400xf32>) -> tensor<3400x400xf32>
    snippets.yield %0 : tensor<3400x400xf32>
  }
  func.return %r : tensor<3400x400xf32>
}

// -----

// 63 KiB.
// CHECK-LABEL: @small_right
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
// PLAIN-LABEL: @small_right
// PLAIN: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @small_right(%x: tensor<3400x40xf32>, %y: tensor<40x400xf32>) -> tensor<3400x400xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3400x40xf32>, tensor<40x400xf32>) -> tensor<3400x400xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3400x40xf32>, tensor<40x400xf32>) -> tensor<3400x400xf32>
    snippets.yield %0 : tensor<3400x400xf32>
  }
  func.return %r : tensor<3400x400xf32>
}

// -----

// Two threads would have fewer than two panels each, so the rows are outside. Each tile of rows reads
// the right operand from farther away, which high and narrow tiles do less often.
// CHECK-LABEL: @few_panels
// CHECK: #lir.loop<0, work 512, inc 1, dim 2, parallel, jam 13>, #lir.loop<1, work 112, inc 16, dim 0, jam 2>
// PLAIN-LABEL: @few_panels
// PLAIN: jam 8>, #lir.loop<1, work 112, inc 16, dim 0, jam 3>
func.func @few_panels(%x: tensor<512x2000xf32>, %y: tensor<2000x112xf32>) -> tensor<512x112xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<512x2000xf32>, tensor<2000x112xf32>) -> tensor<512x112xf32> {
    %0 = snippets.matmul %a, %b : (tensor<512x2000xf32>, tensor<2000x112xf32>) -> tensor<512x112xf32>
    snippets.yield %0 : tensor<512x112xf32>
  }
  func.return %r : tensor<512x112xf32>
}
