// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{fuse-opt-level=0}' | filecheck %s --check-prefixes=CHECK,NONE
// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{fuse-opt-level=1}' | filecheck %s --check-prefixes=CHECK,ALL
// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{max-fuse-depth=4}' | filecheck %s --check-prefixes=CHECK,FOUR
// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{max-function-args=3}' | filecheck %s --check-prefixes=CHECK,ARGS
// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{wrap-single=false}' | filecheck %s --check-prefixes=CHECK,PAIRS

// Levels, the depth, the number of arguments, lone ops.

// The first group is filled first.
// CHECK-LABEL: func.func @six(
// NONE-COUNT-6: snippets.subgraph
// ALL-COUNT-1: snippets.subgraph
// FOUR: sym_name = "fused_exp_exp_exp_exp{{(_[0-9]+)?}}"}
// FOUR: sym_name = "fused_exp_exp{{(_[0-9]+)?}}"}
// ARGS: sym_name = "fused_exp_exp_exp_exp_exp_exp{{(_[0-9]+)?}}"}
// PAIRS: sym_name = "fused_exp_exp_exp_exp_exp_exp{{(_[0-9]+)?}}"}
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @six(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = snippets.exp %x : tensor<4xf32>
  %v1 = snippets.exp %v0 : tensor<4xf32>
  %v2 = snippets.exp %v1 : tensor<4xf32>
  %v3 = snippets.exp %v2 : tensor<4xf32>
  %v4 = snippets.exp %v3 : tensor<4xf32>
  %v5 = snippets.exp %v4 : tensor<4xf32>
  func.return %v5 : tensor<4xf32>
}

// Scalar constants count: three ops and two constants are five nodes.
// CHECK-LABEL: func.func @constants(
// FOUR: sym_name = "fused_add_multiply{{(_[0-9]+)?}}"}
// FOUR: sym_name = "fused_exp{{(_[0-9]+)?}}"}
// ALL: sym_name = "fused_add_multiply_exp{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @constants(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = snippets.scalar 1.0 : f32
  %b = snippets.scalar 2.0 : f32
  %0 = snippets.add %x, %a : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = snippets.multiply %0, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = snippets.exp %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// A limit of three leaves two inputs beside the output: the third add does not join.
// CHECK-LABEL: func.func @arguments(
// ARGS: snippets.subgraph (%{{.*}} = %a, %{{.*}} = %b) : {{.*}} sym_name = "fused_add_exp{{(_[0-9]+)?}}"}
// ARGS: snippets.subgraph (%{{.*}} = %{{.*}}, %{{.*}} = %c) : {{.*}} sym_name = "fused_add{{(_[0-9]+)?}}"}
// ALL: sym_name = "fused_add_exp_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @arguments(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %a, %b : tensor<4xf32>
  %1 = snippets.exp %0 : tensor<4xf32>
  %2 = snippets.add %1, %c : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Dynamic dims and strides are arguments: one of this kind is 1 + 1 + 1, more than two.
// CHECK-LABEL: func.func @dynamic(
// ARGS: sym_name = "fused_exp{{(_[0-9]+)?}}"}
// ARGS: sym_name = "fused_add{{(_[0-9]+)?}}"}
// ALL: sym_name = "fused_exp_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @dynamic(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.exp %a : tensor<?xf32>
  %1 = snippets.add %0, %b : tensor<?xf32>
  func.return %1 : tensor<?xf32>
}

// The same with static dims has two arguments.
// CHECK-LABEL: func.func @static(
// ARGS: sym_name = "fused_exp_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @static(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %a : tensor<4xf32>
  %1 = snippets.add %0, %b : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// The add reads a constant, which has no arguments: the fusion waits for the add, and is made.
// CHECK-LABEL: func.func @postponed(
// ARGS: sym_name = "fused_exp_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @postponed(%a: tensor<4xf32>) -> tensor<4xf32> {
  %w = snippets.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = snippets.exp %a : tensor<4xf32>
  %1 = snippets.add %0, %w : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// The sum reads a convolution without arguments so far, so that the exp waits for the sum: what the
// convolution reads has one argument, which makes three in all.
// CHECK-LABEL: func.func @in_time(
// ARGS: sym_name = "fused_opq{{(_[0-9]+)?}}"}
// ARGS: sym_name = "fused_exp_conv_sum{{(_[0-9]+)?}}"}
// ALL: sym_name = "fused_exp_conv_sum{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @in_time(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %a : tensor<4xf32>
  %o = "t.opq"(%b) {fuse.pattern = "opaque"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "t.conv"(%o) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "t.sum"(%0, %2, %b) {fuse.pattern = "broadcast"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// It has two, which makes four: the exp has waited in vain, and so has the convolution.
// CHECK-LABEL: func.func @in_vain(
// ARGS: sym_name = "fused_exp{{(_[0-9]+)?}}"}
// ARGS: sym_name = "fused_opq{{(_[0-9]+)?}}"}
// ARGS: sym_name = "fused_conv{{(_[0-9]+)?}}"}
// ARGS: sym_name = "fused_sum{{(_[0-9]+)?}}"}
// ALL: sym_name = "fused_exp_conv_sum{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @in_vain(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %a : tensor<4xf32>
  %o = "t.opq"(%b, %c) {fuse.pattern = "opaque"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "t.conv"(%o) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "t.sum"(%0, %2, %b) {fuse.pattern = "broadcast"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %3 : tensor<4xf32>
}

// A lone op; constants beside it do not count.
// CHECK-LABEL: func.func @lone(
// PAIRS-NEXT: snippets.scalar
// PAIRS-NEXT: snippets.add
// PAIRS-NEXT: func.return
// ALL: sym_name = "fused_add{{(_[0-9]+)?}}"}
// CHECK: }
func.func @lone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = snippets.scalar 1.0 : f32
  %0 = snippets.add %x, %a : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
