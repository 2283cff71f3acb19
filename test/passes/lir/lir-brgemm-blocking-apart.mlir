// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking' --symbols --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking' --symbols --split-input-file | filecheck %s --check-prefix=WIDE
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids threads=2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-extract-loop-invariants,lir-brgemm-blocking' --symbols --split-input-file | filecheck %s --check-prefix=TUNE

// 15 MB in rows of 10004 bytes, which begin within cache lines: the rows are outside.
// CHECK-LABEL: @apart
// CHECK: loops [#lir.loop<0, work 1500, inc 1, dim 2, parallel, jam {{[0-9]+}}>, #lir.loop<1, work 2501, inc 8, dim 0, jam
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
// Of AVX-512 nothing is measured.
// WIDE-LABEL: @apart
// WIDE: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @apart
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @apart(%x: tensor<1500x6xf32>, %y: tensor<6x2501xf32>) -> tensor<1500x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1500x6xf32>, tensor<6x2501xf32>) -> tensor<1500x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1500x6xf32>, tensor<6x2501xf32>) -> tensor<1500x2501xf32>
    snippets.yield %0 : tensor<1500x2501xf32>
  }
  func.return %r : tensor<1500x2501xf32>
}

// -----

// Rows of 156 whole lines.
// CHECK-LABEL: @whole_lines
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @whole_lines
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @whole_lines(%x: tensor<1500x6xf32>, %y: tensor<6x2496xf32>) -> tensor<1500x2496xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1500x6xf32>, tensor<6x2496xf32>) -> tensor<1500x2496xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1500x6xf32>, tensor<6x2496xf32>) -> tensor<1500x2496xf32>
    snippets.yield %0 : tensor<1500x2496xf32>
  }
  func.return %r : tensor<1500x2496xf32>
}

// -----

// 7 MB.
// CHECK-LABEL: @small
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @small
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @small(%x: tensor<700x6xf32>, %y: tensor<6x2501xf32>) -> tensor<700x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<700x6xf32>, tensor<6x2501xf32>) -> tensor<700x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<700x6xf32>, tensor<6x2501xf32>) -> tensor<700x2501xf32>
    snippets.yield %0 : tensor<700x2501xf32>
  }
  func.return %r : tensor<700x2501xf32>
}

// -----

// From 11 terms on, `prefetch-tiles` asks for the lines of a panel.
// CHECK-LABEL: @more_terms
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @more_terms
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @more_terms(%x: tensor<1500x11xf32>, %y: tensor<11x2501xf32>) -> tensor<1500x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1500x11xf32>, tensor<11x2501xf32>) -> tensor<1500x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1500x11xf32>, tensor<11x2501xf32>) -> tensor<1500x2501xf32>
    snippets.yield %0 : tensor<1500x2501xf32>
  }
  func.return %r : tensor<1500x2501xf32>
}

// -----

// A right operand of 600 KB, which all rows would read from the last-level cache.
// CHECK-LABEL: @wide
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @wide
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @wide(%x: tensor<150x6xf32>, %y: tensor<6x25001xf32>) -> tensor<150x25001xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<150x6xf32>, tensor<6x25001xf32>) -> tensor<150x25001xf32> {
    %0 = snippets.matmul %a, %b : (tensor<150x6xf32>, tensor<6x25001xf32>) -> tensor<150x25001xf32>
    snippets.yield %0 : tensor<150x25001xf32>
  }
  func.return %r : tensor<150x25001xf32>
}

// -----

// The sums of a tile take longer than its stores.
// CHECK-LABEL: @longer_sums
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @longer_sums
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
func.func @longer_sums(%x: tensor<1500x96xf32>, %y: tensor<96x2501xf32>) -> tensor<1500x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1500x96xf32>, tensor<96x2501xf32>) -> tensor<1500x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1500x96xf32>, tensor<96x2501xf32>) -> tensor<1500x2501xf32>
    snippets.yield %0 : tensor<1500x2501xf32>
  }
  func.return %r : tensor<1500x2501xf32>
}

// -----

// A right operand of 1.2 MB is beyond half of the second-level cache.
// CHECK-LABEL: @far
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @far
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
func.func @far(%x: tensor<150x12xf32>, %y: tensor<12x25001xf32>) -> tensor<150x25001xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<150x12xf32>, tensor<12x25001xf32>) -> tensor<150x25001xf32> {
    %0 = snippets.matmul %a, %b : (tensor<150x12xf32>, tensor<12x25001xf32>) -> tensor<150x25001xf32>
    snippets.yield %0 : tensor<150x25001xf32>
  }
  func.return %r : tensor<150x25001xf32>
}

// -----

// So are the rows of each matrix of a batch.
// CHECK-LABEL: @batch
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2, 3>
// TUNE-LABEL: @batch
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2, 3>
func.func @batch(%x: tensor<3x900x6xf32>, %y: tensor<3x6x2501xf32>) -> tensor<3x900x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x900x6xf32>, tensor<3x6x2501xf32>) -> tensor<3x900x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<3x900x6xf32>, tensor<3x6x2501xf32>) -> tensor<3x900x2501xf32>
    snippets.yield %0 : tensor<3x900x2501xf32>
  }
  func.return %r : tensor<3x900x2501xf32>
}

// -----

// As many rows as a call has: the columns are outside unless their operand is small.
// CHECK-LABEL: @any_rows
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @any_rows
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2>
func.func @any_rows(%x: tensor<?x6xf32>, %y: tensor<6x2501xf32>) -> tensor<?x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x6xf32>, tensor<6x2501xf32>) -> tensor<?x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<?x6xf32>, tensor<6x2501xf32>) -> tensor<?x2501xf32>
    snippets.yield %0 : tensor<?x2501xf32>
  }
  func.return %r : tensor<?x2501xf32>
}

// -----

// 300 KB: few rows would be the work of one thread.
// CHECK-LABEL: @any_rows_far
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @any_rows_far
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
func.func @any_rows_far(%x: tensor<?x30xf32>, %y: tensor<30x2501xf32>) -> tensor<?x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x30xf32>, tensor<30x2501xf32>) -> tensor<?x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<?x30xf32>, tensor<30x2501xf32>) -> tensor<?x2501xf32>
    snippets.yield %0 : tensor<?x2501xf32>
  }
  func.return %r : tensor<?x2501xf32>
}

// -----

// A long epilogue takes more time than the stores, and is there once, panel by panel.
// CHECK-LABEL: @long_epilogue
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
// TUNE-LABEL: @long_epilogue
// TUNE: lir.brgemm {{.*}} {lir.loops = array<i64: 1, 0, 2>
func.func @long_epilogue(%x: tensor<1500x6xf32>, %y: tensor<6x2501xf32>) -> tensor<1500x2501xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<1500x6xf32>, tensor<6x2501xf32>) -> tensor<1500x2501xf32> {
    %0 = snippets.matmul %a, %b : (tensor<1500x6xf32>, tensor<6x2501xf32>) -> tensor<1500x2501xf32>
    %1 = snippets.tanh %0 : tensor<1500x2501xf32>
    snippets.yield %1 : tensor<1500x2501xf32>
  }
  func.return %r : tensor<1500x2501xf32>
}
