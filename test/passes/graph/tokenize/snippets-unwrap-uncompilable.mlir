// RUN: snippets-opt %s -p snippets-unwrap-uncompilable | filecheck %s
// RUN: snippets-opt %s -p snippets-fuse-ops,snippets-unwrap-uncompilable,snippets-tokenize | filecheck %s --check-prefix=AGAIN
// RUN: snippets-opt %s -p snippets-fuse-ops,snippets-tokenize | filecheck %s --check-prefix=AGAIN

// A group that onnxruntime knows runs as a whole: its computing ops are marked.
// CHECK-LABEL: func.func @whole(
// CHECK-NEXT: %[[C:.*]] = onnx.node "Conv"(%x, %w) {{.*}}snippets.reason = "group @fused_conv_relu: as a whole in onnxruntime"
// CHECK-NEXT: %[[R:.*]] = snippets.relu %[[C]] {snippets.skipped = "group @fused_conv_relu: as a whole in onnxruntime", snippets.reason = {{.*}}}
// CHECK-NEXT: func.return %[[R]]
func.func @whole(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %r = snippets.subgraph (%a = %x, %b = %w) : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32> attributes {primitive, sym_name = "fused_conv_relu"} {
    %0 = onnx.node "Conv"(%a, %b) {domain = "", version = 11 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
    %1 = snippets.relu %0 : tensor<1x4x8x8xf32>
    snippets.yield %1 : tensor<1x4x8x8xf32>
  }
  func.return %r : tensor<1x4x8x8xf32>
}

// One with an op that onnxruntime has no row for goes op by op; what has a kernel gets one.
// CHECK-LABEL: func.func @op_by_op(
// CHECK-NEXT: onnx.node "MatMul"(%x, %x) {{.*}}snippets.reason = "group @fused_mat_mul_exp: op by op, no op of the snippets dialect stands for it"
// CHECK-NEXT: snippets.exp %{{.*}} : tensor<4x4xf32>
// CHECK-NEXT: func.return
// AGAIN-LABEL: func.func @op_by_op(
// AGAIN-NEXT: onnx.node "MatMul"(%x, %x) {{.*}}snippets.reason = "group @fused_mat_mul_exp: op by op, no op of the snippets dialect stands for it"
// AGAIN-NEXT: snippets.subgraph
// AGAIN-NEXT: snippets.exp
func.func @op_by_op(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x4xf32>) -> tensor<4x4xf32> attributes {primitive, sym_name = "fused_mat_mul_exp"} {
    %0 = onnx.node "MatMul"(%a, %a) {domain = "", version = 13 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = snippets.exp %0 : tensor<4x4xf32>
    snippets.yield %1 : tensor<4x4xf32>
  }
  func.return %r : tensor<4x4xf32>
}

// A reshape alone is a view beside the kernels.
// CHECK-LABEL: func.func @only_views(
// CHECK-NEXT: snippets.reshape {{.*}}group @g: op by op, a reshape moves no data
// CHECK-NEXT: snippets.squeeze
// CHECK-NEXT: func.return
func.func @only_views(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<2x2xf32> attributes {sym_name = "g"} {
    %0 = snippets.reshape %a : (tensor<4xf32>) -> tensor<2x1x2xf32>
    %1 = snippets.squeeze %0 {axes = array<i64: 1>} : (tensor<2x1x2xf32>) -> tensor<2x2xf32>
    snippets.yield %1 : tensor<2x2xf32>
  }
  func.return %r : tensor<2x2xf32>
}

// Beside ops that compute it may stay.
// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.reshape
// CHECK-NEXT: snippets.yield
func.func @reshape(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<2x2xf32> attributes {sym_name = "g"} {
    %0 = snippets.relu %a : tensor<4xf32>
    %1 = snippets.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
    snippets.yield %1 : tensor<2x2xf32>
  }
  func.return %r : tensor<2x2xf32>
}

// A constant of several elements goes out; what it is read by is left for the tokenizer.
// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: snippets.constant
// CHECK-NEXT: snippets.add
// CHECK-NEXT: func.return
func.func @constant(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %c = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = snippets.add %a, %c : tensor<2xf32>
    snippets.yield %0 : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// A subgraph that can be compiled stays.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
func.func @kept(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %c = snippets.scalar 1.0 : f32
    %0 = snippets.add %a, %c : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    snippets.yield %0 : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}

// Fields of known tuples become values; those of an argument stay.
// CHECK-LABEL: func.func @tuples(
// CHECK-NEXT: snippets.tuple_get %t
// CHECK-NEXT: func.return %x
func.func @tuples(%x: tensor<2xf32>, %t: tuple<tensor<2xf32>>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = snippets.tuple %x : (tensor<2xf32>) -> tuple<tensor<2xf32>>
  %1 = snippets.stop_fusion %0 : tuple<tensor<2xf32>>
  %2 = snippets.tuple_get %1 {index = 0 : i64} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  %3 = snippets.tuple_get %t {index = 0 : i64} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  func.return %2, %3 : tensor<2xf32>, tensor<2xf32>
}

// A tuple that nothing reads goes, and what is only in it goes with it.
// CHECK-LABEL: func.func @unread(
// CHECK-NEXT: func.return %x
func.func @unread(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = snippets.tuple %x : (tensor<2xf32>) -> tuple<tensor<2xf32>>
  %1 = snippets.tuple %0, %0 : (tuple<tensor<2xf32>>, tuple<tensor<2xf32>>) -> tuple<tuple<tensor<2xf32>>, tuple<tensor<2xf32>>>
  func.return %x : tensor<2xf32>
}
