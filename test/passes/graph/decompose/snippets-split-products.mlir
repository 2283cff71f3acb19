// RUN: snippets-opt %s -p 'snippets-split-products' --verify-each --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'snippets-split-products{min-terms=0}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECT

// REJECT: error: pass 'snippets-split-products': expected max-results, min-terms and min-work of 1 or more

// CHECK-LABEL: @small
// CHECK-NEXT: %[[A:.*]] = snippets.reshape %a : (tensor<8x8192xf32>) -> tensor<8x16x512xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[A]] {permutation = array<i64: 1, 0, 2>}
// CHECK: %[[B:.*]] = snippets.reshape %b : (tensor<8192x16xf32>) -> tensor<16x512x16xf32>
// CHECK: %[[P:.*]] = snippets.matmul %[[T]], %[[B]]
// CHECK-NEXT: %[[S0:.*]] = snippets.slice %[[P]] {starts = array<i64: 0, 0, 0>, {{.*}}drops = array<i64: 0>} : (tensor<16x8x16xf32>) -> tensor<8x16xf32>
// CHECK-NEXT: %[[S1:.*]] = snippets.slice %[[P]] {starts = array<i64: 1, 0, 0>
// CHECK: snippets.slice %[[P]] {starts = array<i64: 15, 0, 0>
// CHECK: snippets.add %[[S0]], %[[S1]]
// CHECK-COUNT-14: snippets.add
// CHECK-NOT: snippets.add
// CHECK: func.return
func.func @small(%a: tensor<8x8192xf32>, %b: tensor<8192x16xf32>) -> tensor<8x16xf32> {
  %0 = snippets.matmul %a, %b : (tensor<8x8192xf32>, tensor<8192x16xf32>) -> tensor<8x16xf32>
  func.return %0 : tensor<8x16xf32>
}

// -----

// Both operands have the terms in the other dim.
// CHECK-LABEL: @transposed
// CHECK: snippets.reshape %a : (tensor<4096x9xf64>) -> tensor<8x512x9xf64>
// CHECK: snippets.reshape %b : (tensor<16x4096xf64>) -> tensor<16x8x512xf64>
// CHECK: snippets.transpose {{.*}} {permutation = array<i64: 1, 0, 2>}
// CHECK: snippets.matmul {{.*}} {transpose_a, transpose_b}
// CHECK-COUNT-7: snippets.add
// CHECK-NOT: snippets.add
// CHECK: func.return
func.func @transposed(%a: tensor<4096x9xf64>, %b: tensor<16x4096xf64>) -> tensor<9x16xf64> {
  %0 = snippets.matmul %a, %b {transpose_a, transpose_b} : (tensor<4096x9xf64>, tensor<16x4096xf64>) -> tensor<9x16xf64>
  func.return %0 : tensor<9x16xf64>
}

// -----

// Too large a result, too few terms, no number of parts that divides, a sum along the vectors, a batch.
// CHECK-LABEL: @twins
// CHECK-NOT: snippets.slice
func.func @twins(%a: tensor<8x8192xf32>, %b: tensor<8192x33xf32>, %c: tensor<8x1024xf32>, %d: tensor<1024x16xf32>, %e: tensor<8x8190xf32>, %f: tensor<8190x16xf32>, %g: tensor<16x8192xf32>, %h: tensor<1x8192xf32>, %i: tensor<2x8x8192xf32>) -> (tensor<8x33xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<1x16xf32>, tensor<2x8x33xf32>) {
  %0 = snippets.matmul %a, %b : (tensor<8x8192xf32>, tensor<8192x33xf32>) -> tensor<8x33xf32>
  %1 = snippets.matmul %c, %d : (tensor<8x1024xf32>, tensor<1024x16xf32>) -> tensor<8x16xf32>
  %2 = snippets.matmul %e, %f : (tensor<8x8190xf32>, tensor<8190x16xf32>) -> tensor<8x16xf32>
  %3 = snippets.matmul %h, %g {transpose_b} : (tensor<1x8192xf32>, tensor<16x8192xf32>) -> tensor<1x16xf32>
  %4 = snippets.matmul %i, %b : (tensor<2x8x8192xf32>, tensor<8192x33xf32>) -> tensor<2x8x33xf32>
  func.return %0, %1, %2, %3, %4 : tensor<8x33xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<1x16xf32>, tensor<2x8x33xf32>
}
