// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// Both forms of onnx.node parse back to it, whatever it holds.

// CHECK-LABEL: func.func @nodes
func.func @nodes(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %c: tensor<i1>) {
  // CHECK: %y = onnx.node "Conv"(%x, %w) {domain = "", version = 11 : i64, node_name = "conv1", attributes = {strides = array<i64: 2, 2>}} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
  %y = onnx.node "Conv"(%x, %w) {domain = "", version = 11 : i64, node_name = "conv1", attributes = {strides = array<i64: 2, 2>}} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x3x3xf32>
  // An optional input left out, and one at the end of the list.
  // CHECK-NEXT: onnx.node "Clip"(%x, none, %w) {domain = "", version = 13 : i64}
  %z = onnx.node "Clip"(%x, none, %w) {domain = "", version = 13 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x8x8xf32>
  // CHECK-NEXT: onnx.node "Resize"(%x, none, none)
  %r = onnx.node "Resize"(%x, none, none) {domain = "", version = 13 : i64} : (tensor<1x3x8x8xf32>) -> tensor<*xf32>
  // Two outputs, the second left out.
  // CHECK-NEXT: {{%.*}}, {{%.*}} = onnx.node "MaxPool"(%x) {domain = "", version = 12 : i64} : (tensor<1x3x8x8xf32>) -> (tensor<?x3x4x4xf32>, none)
  %m, %no_indices = onnx.node "MaxPool"(%x) {domain = "", version = 12 : i64} : (tensor<1x3x8x8xf32>) -> (tensor<?x3x4x4xf32>, none)
  // Values that a graph attribute reads.
  // CHECK-NEXT: onnx.node "If"(%c) captures("t" = %x, "a b" = %y) {domain = "", version = 13 : i64, attributes = {then_branch = #onnx.proto<"GRAPH", "oAEF">}}
  %i = onnx.node "If"(%c) captures("t" = %x, "a b" = %y) {domain = "", version = 13 : i64, attributes = {then_branch = #onnx.proto<"GRAPH", "oAEF">}} : (tensor<i1>, tensor<1x3x8x8xf32>, tensor<1x4x3x3xf32>) -> !onnx.type<"unknown">
  // No inputs, another domain, a reason.
  // CHECK-NEXT: onnx.node "Thing"() {domain = "com.example", version = 1 : i64, random, snippets.reason = "unknown"} : () -> !onnx.type<"seq(tensor(float))">
  %t = onnx.node "Thing"() {domain = "com.example", version = 1 : i64, random, snippets.reason = "unknown"} : () -> !onnx.type<"seq(tensor(float))">
  func.return
}

// CHECK-LABEL: func.func @attributes
func.func @attributes(%s: tensor<2x!onnx.string>) {
  // CHECK-NEXT: onnx.node {{.*}} attributes = {f = 1.000000e-01 : f32, nan = 0x7fc00000 : f32, i = -3 : i64, s = "same\0A", fs = array<f32: 5.000000e-01>, none = array<i64>, ss = ["a", "b"]}
  %0 = onnx.node "A"(%s) {domain = "d", version = 1 : i64, attributes = {f = 0.1 : f32, nan = 0x7fc00000 : f32, i = -3 : i64, s = "same\0A", fs = array<f32: 0.5>, none = array<i64>, ss = ["a", "b"]}} : (tensor<2x!onnx.string>) -> tensor<1xf32>
  // CHECK-NEXT: onnx.node {{.*}} attributes = {t = dense<[1, -2]> : tensor<2xi64>, e = dense<> : tensor<0xf32>, named = #onnx.tensor<"value", dense<true> : tensor<i1>>, ts = [dense<1.500000e+00> : tensor<bf16>]}
  %1 = onnx.node "B"(%s) {domain = "d", version = 1 : i64, attributes = {t = dense<[1, -2]> : tensor<2xi64>, e = dense<> : tensor<0xf32>, named = #onnx.tensor<"value", dense<true> : tensor<i1>>, ts = [dense<1.5> : tensor<bf16>]}} : (tensor<2x!onnx.string>) -> tensor<1xf32>
  func.return
}
