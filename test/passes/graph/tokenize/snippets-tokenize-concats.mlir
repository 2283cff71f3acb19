// RUN: snippets-opt %s -p snippets-tokenize-concats --split-input-file --explain=snippets-tokenize-concats 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// What computes the parts, slices of what is outside, and concats for the concat alone.
// CHECK-LABEL: @all
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.negative
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.concat {{.*}} {axis = 0 : i64}
// CHECK-NEXT: snippets.concat {{.*}} {axis = 1 : i64}
// CHECK-NEXT: snippets.yield
// PLAN: one kernel for
func.func @all(%x: tensor<9x8xf32>, %y: tensor<4x8xf32>) -> tensor<8x16xf32> {
  %0 = snippets.negative %y : tensor<4x8xf32>
  %1 = snippets.slice %x {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<9x8xf32>) -> tensor<8x8xf32>
  %2 = snippets.concat %0, %y {axis = 0 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %3 = snippets.concat %1, %2 {axis = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x16xf32>
  func.return %3 : tensor<8x16xf32>
}

// -----

// Outside stay: what others read, what a slice reads, reductions, and what reads the result.
// CHECK-LABEL: @outside
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.reduce_max
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.yield
// CHECK: snippets.tanh
// PLAN: one kernel for snippets.slice{{.*}}, snippets.concat
func.func @outside(%x: tensor<9x8xf32>) -> (tensor<9x8xf32>, tensor<19x8xf32>) {
  %0 = snippets.exp %x : tensor<9x8xf32>
  %1 = snippets.relu %x : tensor<9x8xf32>
  %2 = snippets.slice %1 {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<9x8xf32>) -> tensor<9x8xf32>
  %3 = snippets.reduce_max %x {axes = array<i64: 0>, keep_dims} : (tensor<9x8xf32>) -> tensor<1x8xf32>
  %4 = snippets.concat %0, %2, %3 {axis = 0 : i64} : (tensor<9x8xf32>, tensor<9x8xf32>, tensor<1x8xf32>) -> tensor<19x8xf32>
  %5 = snippets.tanh %4 : tensor<19x8xf32>
  func.return %0, %5 : tensor<9x8xf32>, tensor<19x8xf32>
}

// -----

// CHECK-LABEL: @refused
// CHECK-NOT: snippets.subgraph
// CHECK: snippets.concat {{.*}}snippets.reason = "N2: 17 parts, above 16"
// CHECK: snippets.concat {{.*}}snippets.reason = "N1: it is marked snippets.skipped"
// PLAN: snippets.concat{{.*}} stays outside: N2: 17 parts, above 16
// PLAN: snippets.concat{{.*}} stays outside: N1: it is marked snippets.skipped
func.func @refused(%x: tensor<2xf32>) -> (tensor<34xf32>, tensor<4xf32>) {
  %0 = snippets.concat %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<34xf32>
  %1 = snippets.concat %x, %x {axis = 0 : i64, snippets.skipped} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<34xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @none
// PLAN: no concats
func.func @none(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = snippets.relu %x : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

// A transpose that keeps the last dim is a view of what it reads, and so is a slice below it.
// CHECK-LABEL: @transposed
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.yield
func.func @transposed(%x: tensor<3x9x8xf32>, %y: tensor<5x2x8xf32>) -> tensor<2x8x8xf32> {
  %0 = snippets.slice %x {starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<3x9x8xf32>) -> tensor<3x2x8xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<3x2x8xf32>) -> tensor<2x3x8xf32>
  %2 = snippets.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<5x2x8xf32>) -> tensor<2x5x8xf32>
  %3 = snippets.concat %1, %2 {axis = 1 : i64} : (tensor<2x3x8xf32>, tensor<2x5x8xf32>) -> tensor<2x8x8xf32>
  func.return %3 : tensor<2x8x8xf32>
}

// -----

// Outside stay: what a transpose reads, if it is computed, or a slice with steps or other readers;
// a transpose that moves the last dim, or that an elementwise op reads.
// CHECK-LABEL: @not_transposed
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.transpose %{{.*}} {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT: snippets.transpose %{{.*}} {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.transpose %{{.*}} {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT: snippets.transpose %{{.*}} {permutation = array<i64: 1, 0, 2>}
// CHECK-NEXT: snippets.negative
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.yield
func.func @not_transposed(%x: tensor<4x2x8xf32>, %y: tensor<2x8x4xf32>) -> tensor<2x14x8xf32> {
  %0 = snippets.exp %x : tensor<4x2x8xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32>
  %2 = snippets.slice %x {starts = array<i64: 0, 0, 0>, steps = array<i64: 2, 1, 1>} : (tensor<4x2x8xf32>) -> tensor<2x2x8xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 1, 0, 2>} : (tensor<2x2x8xf32>) -> tensor<2x2x8xf32>
  %4 = snippets.transpose %y {permutation = array<i64: 0, 2, 1>} : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  %5 = snippets.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32>
  %6 = snippets.negative %5 : tensor<2x4x8xf32>
  %7 = snippets.concat %1, %3, %4, %6 {axis = 1 : i64} : (tensor<2x4x8xf32>, tensor<2x2x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x14x8xf32>
  func.return %7 : tensor<2x14x8xf32>
}
