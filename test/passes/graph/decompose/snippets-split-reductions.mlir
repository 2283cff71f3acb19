// RUN: snippets-opt %s -p 'snippets-split-reductions{threads=4}' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=2},snippets-split-reductions{threads=4},snippets-split-reductions{threads=4}' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=1},snippets-split-reductions' --verify-each | filecheck %s --check-prefix=UNKNOWN
// RUN: snippets-opt %s -p 'snippets-split-reductions' --verify-each | filecheck %s --check-prefix=UNKNOWN
// RUN: snippets-opt %s -p 'snippets-split-reductions{threads=1}' --verify-each | filecheck %s --check-prefix=ONE
// RUN: snippets-opt %s -p 'snippets-split-reductions{threads=4 min-work=64}' --verify-each | filecheck %s --check-prefix=SMALL
// RUN: not snippets-opt %s -p 'snippets-split-reductions{threads=-1}' 2>&1 | filecheck %s --check-prefix=REJECT

// REJECT: error: pass 'snippets-split-reductions': expected threads and min-work of 0 or more, found -1 and 65536

// Everything: 16 blocks for 4 threads, none for one; 64 without the option, for any machine.
// CHECK-LABEL: func.func @everything(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<64x4096xf32>) -> tensor<16x16384xf32>
// CHECK-NEXT: %[[P:.*]] = snippets.reduce_sum %[[X]] {axes = array<i64: 1>, keep_dims} : (tensor<16x16384xf32>) -> tensor<16x1xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[P]] {axes = array<i64: 0>, keep_dims} : (tensor<16x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %[[S]] : (tensor<1x1xf32>) -> tensor<f32>
// CHECK-NEXT: func.return %[[R]]
// UNKNOWN-LABEL: func.func @everything(
// UNKNOWN: tensor<64x4096xf32>) -> tensor<64x1xf32>
// ONE-LABEL: func.func @everything(
// ONE-NEXT: snippets.reduce_sum
// ONE-NEXT: func.return
func.func @everything(%x: tensor<64x4096xf32>) -> tensor<f32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 0, 1>} : (tensor<64x4096xf32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}

// The first dims do not suffice: 20 is 5 and a divisor of 1000. A mean divides once, at the end.
// CHECK-LABEL: func.func @mean(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<5x1000x30xf32>) -> tensor<20x7500xf32>
// CHECK-NEXT: snippets.reduce_sum %[[X]] {axes = array<i64: 1>, keep_dims}
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum
// CHECK-NEXT: %[[N:.*]] = snippets.scalar 1.500000e+05 : f32
// CHECK-NEXT: snippets.divide %[[S]], %[[N]]
func.func @mean(%x: tensor<5x1000x30xf32>) -> tensor<1x1x1xf32> {
  %0 = snippets.reduce_mean %x {axes = array<i64: 0, 1, 2>, keep_dims} : (tensor<5x1000x30xf32>) -> tensor<1x1x1xf32>
  func.return %0 : tensor<1x1x1xf32>
}

// Rows of 3 are too short for vectors: 16 of them are kept. 64 results are enough for the threads.
// CHECK-LABEL: func.func @short_rows(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<64x4000x3xi32>) -> tensor<64x250x16x3xi32>
// CHECK-NEXT: %[[P:.*]] = snippets.reduce_max %[[X]] {axes = array<i64: 1>, keep_dims} : (tensor<64x250x16x3xi32>) -> tensor<64x1x16x3xi32>
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_max %[[P]] {axes = array<i64: 2>, keep_dims} : (tensor<64x1x16x3xi32>) -> tensor<64x1x1x3xi32>
// CHECK-NEXT: snippets.reshape %[[S]] : (tensor<64x1x1x3xi32>) -> tensor<64x3xi32>
// ONE-LABEL: func.func @short_rows(
// ONE: tensor<64x1x16x3xi32>
func.func @short_rows(%x: tensor<64x4000x3xi32>) -> tensor<64x3xi32> {
  %0 = snippets.reduce_max %x {axes = array<i64: 1>} : (tensor<64x4000x3xi32>) -> tensor<64x3xi32>
  func.return %0 : tensor<64x3xi32>
}

// Both, on separate dims.
// CHECK-LABEL: func.func @both(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<64x2x400x3xf32>) -> tensor<8x8x2x25x16x3xf32>
// CHECK-NEXT: %[[P:.*]] = snippets.reduce_min %[[X]] {axes = array<i64: 1, 3>, keep_dims} : (tensor<8x8x2x25x16x3xf32>) -> tensor<8x1x2x1x16x3xf32>
// CHECK-NEXT: snippets.reduce_min %[[P]] {axes = array<i64: 0, 4>, keep_dims} : (tensor<8x1x2x1x16x3xf32>) -> tensor<1x1x2x1x1x3xf32>
func.func @both(%x: tensor<64x2x400x3xf32>) -> tensor<2x3xf32> {
  %0 = snippets.reduce_min %x {axes = array<i64: 0, 2>} : (tensor<64x2x400x3xf32>) -> tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}

// Enough results; a prime number of elements; a size that is not known; too little work; no axes.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: snippets.reduce_sum %a {axes = array<i64: 1>} : (tensor<16x65536xf32>) -> tensor<16xf32>
// CHECK-NEXT: snippets.reduce_sum %b {axes = array<i64: 0>} : (tensor<65537xf32>) -> tensor<f32>
// CHECK-NEXT: snippets.reduce_sum %c {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
// CHECK-NEXT: snippets.reduce_sum %d {axes = array<i64: 0>} : (tensor<65535xf32>) -> tensor<f32>
// CHECK-NEXT: snippets.reduce_sum %a {axes = array<i64>} : tensor<16x65536xf32>
// CHECK-NEXT: snippets.reduce_sum %a {axes = array<i64: 0, 1>, snippets.skipped = "mine"}
// CHECK-NEXT: snippets.softmax
// SMALL-LABEL: func.func @does_not_fire(
// SMALL: tensor<65535xf32>) -> tensor<17x3855xf32>
func.func @does_not_fire(%a: tensor<16x65536xf32>, %b: tensor<65537xf32>, %c: tensor<?xf32>, %d: tensor<65535xf32>) {
  %0 = snippets.reduce_sum %a {axes = array<i64: 1>} : (tensor<16x65536xf32>) -> tensor<16xf32>
  %1 = snippets.reduce_sum %b {axes = array<i64: 0>} : (tensor<65537xf32>) -> tensor<f32>
  %2 = snippets.reduce_sum %c {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<f32>
  %3 = snippets.reduce_sum %d {axes = array<i64: 0>} : (tensor<65535xf32>) -> tensor<f32>
  %4 = snippets.reduce_sum %a {axes = array<i64>} : tensor<16x65536xf32>
  %5 = snippets.reduce_sum %a {axes = array<i64: 0, 1>, snippets.skipped = "mine"} : (tensor<16x65536xf32>) -> tensor<f32>
  %6 = snippets.softmax %b {axis = 0 : i64} : tensor<65537xf32>
  func.return
}

// What is in a subgraph is one kernel already.
// CHECK-LABEL: func.func @in_a_subgraph(
// CHECK: snippets.reduce_sum %{{.*}} {axes = array<i64: 0>, keep_dims} : (tensor<65536xf32>) -> tensor<1xf32>
func.func @in_a_subgraph(%x: tensor<65536xf32>) -> tensor<1xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<65536xf32>) -> tensor<1xf32> {
    %1 = snippets.reduce_sum %a {axes = array<i64: 0>, keep_dims} : (tensor<65536xf32>) -> tensor<1xf32>
    snippets.yield %1 : tensor<1xf32>
  }
  func.return %0 : tensor<1xf32>
}
