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
