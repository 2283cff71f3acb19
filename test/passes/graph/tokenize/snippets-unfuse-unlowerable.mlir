// RUN: snippets-opt %s -p snippets-unfuse-unlowerable --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-unfuse-unlowerable --explain -o %t 2>&1 | filecheck %s --check-prefix=EXPLAIN
// RUN: snippets-opt %s -p 'snippets-unfuse-unlowerable,convert-snippets-to-lir' --explain -o %t 2>&1 | filecheck %s --check-prefix=CALLS
// RUN: snippets-opt %s -p 'snippets-unfuse-unlowerable,convert-snippets-to-lir' | filecheck %s --check-prefix=LIR

// By K5, the transpose of a computed value. Each op gets a kernel with its own copy of the scalar; the
// reshape is a view between them.
// CHECK-LABEL: func.func @transpose(
// CHECK-NEXT: %0 = snippets.subgraph (%x_1 = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> attributes {snippets.reason = "its subgraph was taken apart: K5: snippets.transpose reads a computed value
// CHECK-NEXT: snippets.scalar 2.000000e+00
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %1 = snippets.subgraph (%{{.*}} = %0)
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: %2 = snippets.reshape %0
// CHECK-NEXT: %3 = snippets.subgraph (%{{.*}} = %2)
// CHECK-NEXT: snippets.scalar 2.000000e+00
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return %1, %3
// EXPLAIN: snippets-unfuse-unlowerable.mlir:{{[0-9]+}}:5: remark: snippets.multiply not fused: its subgraph was taken apart: K5: snippets.transpose reads a computed value
// EXPLAIN-NEXT: remark: snippets.transpose not fused: its subgraph was taken apart: K5
// EXPLAIN-NEXT: remark: snippets.reshape not tokenized: a reshape moves no data
// EXPLAIN-NEXT: remark: snippets.add not fused: its subgraph was taken apart: K5
// CALLS: remark: @subgraph_0 not fused: its subgraph was taken apart: K5
// LIR: lir.call @subgraph_0(%x) {snippets.reason = "its subgraph was taken apart: K5
func.func @transpose(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<32xf32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<32xf32>) {
    %s = snippets.scalar 2.0 : f32
    %2 = snippets.multiply %a, %s : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %3 = snippets.transpose %2 {permutation = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %4 = snippets.reshape %2 : (tensor<4x8xf32>) -> tensor<32xf32>
    %5 = snippets.add %4, %s : (tensor<32xf32>, tensor<f32>) -> tensor<32xf32>
    snippets.yield %3, %5 : tensor<8x4xf32>, tensor<32xf32>
  }
  func.return %0, %1 : tensor<8x4xf32>, tensor<32xf32>
}

// By K4, a reshape between ops; the pass that could not remove it has said why.
// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: snippets.subgraph
// CHECK-SAME: snippets.reason = "its subgraph was taken apart: K4: snippets.reshape: no common factors"
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: snippets.reshape %0 {snippets.reason = "no common factors"}
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.abs
// CHECK-NEXT: snippets.yield
func.func @reshape(%x: tensor<6x4xf32>) -> tensor<4x6xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<6x4xf32>) -> tensor<4x6xf32> {
    %1 = snippets.relu %a : tensor<6x4xf32>
    %2 = snippets.reshape %1 {snippets.reason = "no common factors"} : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %3 = snippets.abs %2 : tensor<4x6xf32>
    snippets.yield %3 : tensor<4x6xf32>
  }
  func.return %0 : tensor<4x6xf32>
}

// What can be one kernel stays one: reductions of one shape, views of inputs and outputs, a sum over
// no dims.
// CHECK-LABEL: func.func @stays(
// CHECK-NEXT: snippets.subgraph
// CHECK-NOT: snippets.reason
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.reduce_max
// CHECK-NEXT: snippets.subtract
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.reduce_sum
// CHECK-NEXT: snippets.reshape
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @stays(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<8x4xf32>) -> tensor<4xf32> {
    %1 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %2 = snippets.reduce_max %1 {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %3 = snippets.subtract %1, %2 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    %4 = snippets.reduce_sum %3 {axes = array<i64: 1>, keep_dims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %5 = snippets.reduce_sum %4 {axes = array<i64>, keep_dims} : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %6 = snippets.reshape %5 : (tensor<4x1xf32>) -> tensor<4xf32>
    snippets.yield %6 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// A slice of a computed value gets a kernel of its own (K7); one of an input stays where it is.
// CHECK-LABEL: @slices
// CHECK: snippets.subgraph {{.*}}"its subgraph was taken apart: K7: snippets.slice reads a computed value
// CHECK-NEXT: snippets.exp
// CHECK: snippets.subgraph {{.*}}K7
// CHECK-NEXT: snippets.slice
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.abs
func.func @slices(%x: tensor<9xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = snippets.subgraph (%a = %x) : (tensor<9xf32>) -> tensor<8xf32> {
    %2 = snippets.exp %a : tensor<9xf32>
    %3 = snippets.slice %2 {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
    snippets.yield %3 : tensor<8xf32>
  }
  %1 = snippets.subgraph (%a = %x) : (tensor<9xf32>) -> tensor<8xf32> {
    %2 = snippets.slice %a {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
    %3 = snippets.abs %2 : tensor<8xf32>
    snippets.yield %3 : tensor<8xf32>
  }
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// What reads a concat gets a kernel of its own (K8).
// CHECK-LABEL: @joined
// CHECK: snippets.subgraph {{.*}}"its subgraph was taken apart: K8: snippets.relu reads a concat
// CHECK-NEXT: snippets.concat
// CHECK: snippets.subgraph {{.*}}K8
// CHECK-NEXT: snippets.relu
func.func @joined(%x: tensor<9xf32>, %y: tensor<7xf32>) -> tensor<16xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<9xf32>, tensor<7xf32>) -> tensor<16xf32> {
    %1 = snippets.concat %a, %b {axis = 0 : i64} : (tensor<9xf32>, tensor<7xf32>) -> tensor<16xf32>
    %2 = snippets.relu %1 : tensor<16xf32>
    snippets.yield %2 : tensor<16xf32>
  }
  func.return %0 : tensor<16xf32>
}

// A product whose right operand is computed beside it is a kernel by itself.
// CHECK-LABEL: func.func @product_of_computed(
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.matmul
func.func @product_of_computed(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    %1 = snippets.exp %b : tensor<3x4xf32>
    %2 = snippets.matmul %a, %1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    snippets.yield %2 : tensor<2x4xf32>
  }
  func.return %0 : tensor<2x4xf32>
}
