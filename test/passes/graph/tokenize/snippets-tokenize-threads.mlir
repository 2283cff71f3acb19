// RUN: snippets-opt %s -p 'snippets-set-target{target=generic threads=4},snippets-tokenize' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic threads=2},snippets-tokenize' --verify-each | filecheck %s --check-prefix=TWO
// RUN: snippets-opt %s -p snippets-tokenize --verify-each | filecheck %s --check-prefix=TWO

// By T7, three rows are too few for four threads, and enough for two (or when nothing is said).
// CHECK-LABEL: func.func @few_rows(
// CHECK: snippets.exp
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.divide
// CHECK-NEXT: snippets.yield
// TWO-LABEL: func.func @few_rows(
// TWO: snippets.exp
// TWO-NEXT: snippets.reduce_sum
// TWO-NEXT: snippets.divide
// TWO-NEXT: snippets.yield
func.func @few_rows(%x: tensor<3x20000xf32>) -> tensor<3x20000xf32> {
  %0 = snippets.exp %x : tensor<3x20000xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<3x20000xf32>) -> tensor<3x1xf32>
  %2 = snippets.divide %0, %1 : (tensor<3x20000xf32>, tensor<3x1xf32>) -> tensor<3x20000xf32>
  func.return %2 : tensor<3x20000xf32>
}

// Four rows are enough.
// CHECK-LABEL: func.func @enough_rows(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.divide
// CHECK-NEXT: snippets.yield
func.func @enough_rows(%x: tensor<4x20000xf32>) -> tensor<4x20000xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<4x20000xf32>) -> tensor<4x1xf32>
  %1 = snippets.divide %x, %0 : (tensor<4x20000xf32>, tensor<4x1xf32>) -> tensor<4x20000xf32>
  func.return %1 : tensor<4x20000xf32>
}

// 32767 elements are little work.
// CHECK-LABEL: func.func @little_work(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.divide
// CHECK-NEXT: snippets.yield
func.func @little_work(%x: tensor<32767xf32>) -> tensor<32767xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 0>, keep_dims} : (tensor<32767xf32>) -> tensor<1xf32>
  %1 = snippets.divide %x, %0 : (tensor<32767xf32>, tensor<1xf32>) -> tensor<32767xf32>
  func.return %1 : tensor<32767xf32>
}

// 32768 are not.
// CHECK-LABEL: func.func @work(
// CHECK: snippets.reduce_sum
// CHECK-NEXT: snippets.yield
// CHECK: snippets.divide
// CHECK-NEXT: snippets.yield
func.func @work(%x: tensor<32768xf32>) -> tensor<32768xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 0>, keep_dims} : (tensor<32768xf32>) -> tensor<1xf32>
  %1 = snippets.divide %x, %0 : (tensor<32768xf32>, tensor<1xf32>) -> tensor<32768xf32>
  func.return %1 : tensor<32768xf32>
}

// What comes before a reduction and what is as small as its result joins it in any case.
// CHECK-LABEL: func.func @before_and_small(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.sqrt
// CHECK-NEXT: snippets.yield
func.func @before_and_small(%x: tensor<65536xf32>) -> tensor<1xf32> {
  %0 = snippets.multiply %x, %x : tensor<65536xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 0>, keep_dims} : (tensor<65536xf32>) -> tensor<1xf32>
  %2 = snippets.sqrt %1 : tensor<1xf32>
  func.return %2 : tensor<1xf32>
}

// An unknown number of rows counts as enough.
// CHECK-LABEL: func.func @unknown_rows(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.divide
// CHECK-NEXT: snippets.yield
func.func @unknown_rows(%x: tensor<?x20000xf32>) -> tensor<?x20000xf32> {
  %0 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : (tensor<?x20000xf32>) -> tensor<?x1xf32>
  %1 = snippets.divide %x, %0 : (tensor<?x20000xf32>, tensor<?x1xf32>) -> tensor<?x20000xf32>
  func.return %1 : tensor<?x20000xf32>
}
