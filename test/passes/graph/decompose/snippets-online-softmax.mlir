// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-online-softmax{threads=2}' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-online-softmax{threads=2},snippets-online-softmax{threads=2}' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-online-softmax{threads=16}' --verify-each | filecheck %s --check-prefix=MANY
// RUN: snippets-opt %s -p 'snippets-online-softmax{threads=1}' --verify-each | filecheck %s --check-prefix=ONE
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=1},snippets-online-softmax{threads=1 softmax-from=0}' --verify-each | filecheck %s --check-prefix=ALL
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=1},snippets-online-softmax' --verify-each | filecheck %s --check-prefix=FOUR
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=16},snippets-online-softmax' --verify-each | filecheck %s --check-prefix=FOUR
// RUN: not snippets-opt %s -p 'snippets-online-softmax{threads=-1}' 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: not snippets-opt %s -p 'snippets-online-softmax{min-work=-2}' 2>&1 | filecheck %s --check-prefix=WORK
// RUN: not snippets-opt %s -p 'snippets-online-softmax{softmax-from=-2}' 2>&1 | filecheck %s --check-prefix=FROM

// THREADS: error: pass 'snippets-online-softmax': expected threads and min-work of 0 or more, found -1 and 32768
// WORK: error: pass 'snippets-online-softmax': expected threads and min-work of 0 or more, found 0 and -2
// FROM: error: pass 'snippets-online-softmax': expected softmax-from and log-softmax-from of -1 or more, found -2 and -1

// Rows of 2 MiB: exp is computed for the sums of blocks, and again for the elements.
// CHECK-LABEL: func.func @long(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<2x4x524288xf32>) -> tensor<8x128x4096xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.reduce_max %[[X]] {axes = array<i64: 2>, keep_dims} : (tensor<8x128x4096xf32>) -> tensor<8x128x1xf32>
// CHECK-NEXT: %[[L:.*]] = snippets.scalar -3.40282347e+38 : f32
// CHECK-NEXT: %[[F:.*]] = snippets.maximum %[[B]], %[[L]]
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %[[X]], %[[F]]
// CHECK-NEXT: %[[E:.*]] = snippets.exp %[[D]]
// CHECK-NEXT: %[[T:.*]] = snippets.reduce_sum %[[E]] {axes = array<i64: 2>, keep_dims}
// CHECK-NEXT: %[[M:.*]] = snippets.reduce_max %[[B]] {axes = array<i64: 1>, keep_dims} : (tensor<8x128x1xf32>) -> tensor<8x1x1xf32>
// CHECK-NEXT: %[[BM:.*]] = snippets.subtract %[[B]], %[[M]]
// CHECK-NEXT: %[[W:.*]] = snippets.exp %[[BM]]
// CHECK-NEXT: %[[TW:.*]] = snippets.multiply %[[T]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = snippets.reduce_sum %[[TW]] {axes = array<i64: 1>, keep_dims} : (tensor<8x128x1xf32>) -> tensor<8x1x1xf32>
// CHECK-NEXT: %[[UNIT:.*]] = snippets.scalar 1.000000e+00 : f32
// CHECK-NEXT: %[[R:.*]] = snippets.divide %[[UNIT]], %[[S]]
// CHECK-NEXT: %[[D2:.*]] = snippets.subtract %[[X]], %[[M]]
// CHECK-NEXT: %[[E2:.*]] = snippets.exp %[[D2]]
// CHECK-NEXT: %[[Q:.*]] = snippets.multiply %[[E2]], %[[R]]
// CHECK-NEXT: %[[Y:.*]] = snippets.reshape %[[Q]] : (tensor<8x128x4096xf32>) -> tensor<2x4x524288xf32>
// CHECK-NEXT: func.return %[[Y]]
// ONE-LABEL: func.func @long(
// ONE-NEXT: snippets.softmax
func.func @long(%x: tensor<2x4x524288xf32>) -> tensor<2x4x524288xf32> {
  %0 = snippets.softmax %x {axis = 2 : i64} : tensor<2x4x524288xf32>
  func.return %0 : tensor<2x4x524288xf32>
}

// One row for two threads: exp is kept. The block is shorter for 16, who have four each. Without the
// option there are four, however many the module names.
// CHECK-LABEL: func.func @few(
// CHECK-NEXT: snippets.reshape %x : (tensor<65536x1xf32>) -> tensor<1x16x4096xf32>
// CHECK: %[[E:.*]] = snippets.exp
// CHECK-NEXT: snippets.reduce_sum %[[E]]
// CHECK: %[[W:.*]] = snippets.exp
// CHECK: %[[S:.*]] = snippets.reduce_sum
// CHECK-NEXT: %[[Q:.*]] = snippets.divide %[[W]], %[[S]] : (tensor<1x16x1xf32>, tensor<1x1x1xf32>) -> tensor<1x16x1xf32>
// CHECK-NEXT: snippets.multiply %[[E]], %[[Q]] : (tensor<1x16x4096xf32>, tensor<1x16x1xf32>) -> tensor<1x16x4096xf32>
// FOUR-LABEL: func.func @few(
// FOUR-NEXT: snippets.reshape %x : (tensor<65536x1xf32>) -> tensor<1x16x4096xf32>
// MANY-LABEL: func.func @few(
// MANY-NEXT: snippets.reshape %x : (tensor<65536x1xf32>) -> tensor<1x64x1024xf32>
// ONE-LABEL: func.func @few(
// ONE-NEXT: snippets.softmax
func.func @few(%x: tensor<65536x1xf32>) -> tensor<65536x1xf32> {
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<65536x1xf32>
  func.return %0 : tensor<65536x1xf32>
}

// log_softmax needs exp for the sums only. f64: a vector has 8 elements.
// CHECK-LABEL: func.func @logarithm(
// CHECK-NEXT: %[[X:.*]] = snippets.reshape %x : (tensor<4x65536xf64>) -> tensor<4x32x2048xf64>
// CHECK: snippets.scalar -1.7976931348623157e+308 : f64
// CHECK: %[[M:.*]] = snippets.reduce_max %{{.*}} {axes = array<i64: 1>, keep_dims}
// CHECK: %[[S:.*]] = snippets.reduce_sum %{{.*}} {axes = array<i64: 1>, keep_dims}
// CHECK-NEXT: %[[D:.*]] = snippets.subtract %[[X]], %[[M]]
// CHECK-NEXT: %[[G:.*]] = snippets.log %[[S]] : tensor<4x1x1xf64>
// CHECK-NEXT: %[[Y:.*]] = snippets.subtract %[[D]], %[[G]]
// CHECK-NEXT: snippets.reshape %[[Y]] : (tensor<4x32x2048xf64>) -> tensor<4x65536xf64>
func.func @logarithm(%x: tensor<4x65536xf64>) -> tensor<4x65536xf64> {
  %0 = snippets.log_softmax %x {axis = 1 : i64} : tensor<4x65536xf64>
  func.return %0 : tensor<4x65536xf64>
}

// A row of 2 MiB that another kernel computes is not in memory: two threads share two rows of it,
// 16 threads the blocks. A view of an argument is in memory.
// CHECK-LABEL: func.func @computed(
// CHECK: snippets.softmax
// CHECK-NEXT: snippets.unsqueeze
// CHECK-NEXT: snippets.reshape
// CHECK-NOT: snippets.log_softmax
// MANY-LABEL: func.func @computed(
// MANY: snippets.relu
// MANY-NEXT: snippets.reshape
func.func @computed(%x: tensor<2x524288xf32>) -> (tensor<2x524288xf32>, tensor<1x2x524288xf32>) {
  %0 = snippets.relu %x : tensor<2x524288xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<2x524288xf32>
  %2 = snippets.unsqueeze %x {axes = array<i64: 0>} : (tensor<2x524288xf32>) -> tensor<1x2x524288xf32>
  %3 = snippets.log_softmax %2 {axis = 2 : i64} : tensor<1x2x524288xf32>
  func.return %1, %3 : tensor<2x524288xf32>, tensor<1x2x524288xf32>
}

// Rows that fit the caches and are enough for two threads, not on request (ALL).
// CHECK-LABEL: func.func @short(
// CHECK-NEXT: snippets.softmax
// FOUR-LABEL: func.func @short(
// FOUR-NEXT: snippets.reshape %x : (tensor<2x520192xf32>) -> tensor<2x127x4096xf32>
// ALL-LABEL: func.func @short(
// ALL-NEXT: snippets.reshape %x : (tensor<2x520192xf32>) -> tensor<2x254x2048xf32>
func.func @short(%x: tensor<2x520192xf32>) -> tensor<2x520192xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<2x520192xf32>
  func.return %0 : tensor<2x520192xf32>
}

// No divisor is a block (a prime); a size that is not known, of a row or of their number; another
// axis; too little work for two threads; 16-bit floats; the user's wish; a row of nothing; rows
// that are none.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NEXT: snippets.softmax %a
// CHECK-NEXT: snippets.softmax %b
// CHECK-NEXT: snippets.softmax %c
// CHECK-NEXT: snippets.softmax %d
// CHECK-NEXT: snippets.softmax %e
// CHECK-NEXT: snippets.log_softmax %f
// CHECK-NEXT: snippets.softmax %g
// CHECK-NEXT: snippets.softmax %h
// CHECK-NEXT: snippets.softmax %i
// CHECK-NEXT: func.return
// ALL-LABEL: func.func @does_not_fire(
// ALL: snippets.softmax %h
// ALL-NEXT: snippets.softmax %i
func.func @does_not_fire(%a: tensor<1x524309xf32>, %b: tensor<1x?xf32>, %c: tensor<?x524288xf32>, %d: tensor<524288x2xf32>,
                         %e: tensor<1x32704xf32>, %f: tensor<1x524288xf16>, %g: tensor<1x524288xf32>, %h: tensor<1x0xf32>,
                         %i: tensor<0x524288xf32>) {
  %0 = snippets.softmax %a {axis = 1 : i64} : tensor<1x524309xf32>
  %1 = snippets.softmax %b {axis = 1 : i64} : tensor<1x?xf32>
  %2 = snippets.softmax %c {axis = 1 : i64} : tensor<?x524288xf32>
  %3 = snippets.softmax %d {axis = 0 : i64} : tensor<524288x2xf32>
  %4 = snippets.softmax %e {axis = 1 : i64} : tensor<1x32704xf32>
  %5 = snippets.log_softmax %f {axis = 1 : i64} : tensor<1x524288xf16>
  %6 = snippets.softmax %g {axis = 1 : i64, snippets.skipped = "mine"} : tensor<1x524288xf32>
  %7 = snippets.softmax %h {axis = 1 : i64} : tensor<1x0xf32>
  %8 = snippets.softmax %i {axis = 1 : i64} : tensor<0x524288xf32>
  func.return
}

// What is in a subgraph is one kernel already.
// CHECK-LABEL: func.func @in_a_subgraph(
// CHECK: snippets.softmax
func.func @in_a_subgraph(%x: tensor<1x524288xf32>) -> tensor<1x524288xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<1x524288xf32>) -> tensor<1x524288xf32> {
    %1 = snippets.softmax %a {axis = 1 : i64} : tensor<1x524288xf32>
    snippets.yield %1 : tensor<1x524288xf32>
  }
  func.return %0 : tensor<1x524288xf32>
}
