// RUN: snippets-opt %s -p convert-host-to-program --split-input-file --verify-diagnostics | filecheck %s

// Constants, computing ops, views, what an executor runs; ids are the names of the text.

// CHECK-LABEL: program.graph @main "topology" (%{{.*}} "x": tensor<2x4xf32>, %{{.*}} "arg1": tensor<4xf32>) attributes {note = "kept"} {
// CHECK-NEXT: %[[W:.*]] = program.data "w" dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = program.data "c" dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.*]] = program.data "m.b" #snippets.resource<"m.onnx", "m.b", "ab"> : tensor<8xf32>
// CHECK-NEXT: %[[A:.*]] = program.node "add" (%[[V:.*]] = %{{.*}}, %[[U:.*]] = %[[W]]) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32> {
// CHECK-NEXT:   %[[S:.*]] = snippets.add %[[V]], %[[U]] :
// CHECK-NEXT:   program.yield %[[S]] : tensor<2x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: program.node "add_1"
// CHECK: program.node "conv/1"
// CHECK-NEXT: onnx.node "Conv"
// CHECK: program.node "twin"
// CHECK-NEXT: onnx.node "Sin"
// CHECK: %[[F:.*]] = program.view "reshape" (%{{.*}}) : tensor<2x4xf32> -> tensor<8xf32>
// CHECK-NEXT: %[[T:.*]] = program.view "unsqueeze" (%[[F]]) dims [-1, 0] : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: program.output %[[T]] as "y", %[[F]] as "out1", %[[W]] as "out2" : tensor<1x8xf32>, tensor<8xf32>, tensor<4xf32>
func.func @main(%x: tensor<2x4xf32> {snippets.name = "x"}, %w_in: tensor<4xf32>) -> (tensor<1x8xf32> {snippets.name = "y"}, tensor<8xf32>, tensor<4xf32>) attributes {note = "kept"} {
  %w = snippets.constant dense<1.0> : tensor<4xf32>
  %c = snippets.scalar 2.0 : f32
  %b = snippets.constant #snippets.resource<"m.onnx", "m.b", "ab"> : tensor<8xf32>
  %0 = snippets.add %x, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = snippets.add %0, %c : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %2 = onnx.node "Conv"(%1) {domain = "", version = 11 : i64, node_name = "conv/1"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %twin = onnx.node "Sin"(%2) {domain = "", version = 11 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = snippets.reshape %twin : (tensor<2x4xf32>) -> tensor<8xf32>
  %4 = snippets.unsqueeze %3 {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<1x8xf32>
  func.return %4, %3, %w : tensor<1x8xf32>, tensor<8xf32>, tensor<4xf32>
}

// -----

// A subgraph is a node; a private function stays.

// CHECK-LABEL: program.graph @main "fused"
// CHECK-NEXT: program.node "y" (%[[A:.*]] = %{{.*}}) origin ["relu", "exp"] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:   snippets.relu %[[A]]
// CHECK-NEXT:   snippets.exp
// CHECK-NEXT:   program.yield
// CHECK: func.func private @other
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y, %z = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = snippets.relu %a : tensor<4xf32>
    %1 = snippets.exp %0 : tensor<4xf32>
    snippets.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.return %y, %z : tensor<4xf32>, tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// -----

// With calls of kernels, everything has its implementation.

// CHECK-LABEL: program.graph @main "selected"
// CHECK-NEXT: program.node "k" (%{{.*}} = %{{.*}}) impl<"snippets", @k> :
// CHECK-NEXT:   lir.call @k
// CHECK: program.node "Conv" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "relu" (%{{.*}} = %{{.*}}) impl<"reference"> :
// CHECK: program.node "relu_1" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lir.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.node "Conv"(%0) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = snippets.relu %1 : tensor<4xf32>
  %3 = snippets.relu %2 {snippets.skipped = "beside a convolution"} : tensor<4xf32>
  func.return %3 : tensor<4xf32>
}
func.func private @k(%p: !llvm.ptr, %b: i64, %e: i64, %t: i64)

// -----

// expected-error @+1 {{@main: expected subgraphs or calls of kernels, found both}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = snippets.relu %a : tensor<4xf32>
    snippets.yield %0 : tensor<4xf32>
  }
  %1 = lir.call @k(%y) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
func.func private @k(%p: !llvm.ptr, %b: i64, %e: i64, %t: i64)

// -----

// A graph that is there already stays as it is.

// CHECK-LABEL: program.graph @main "topology" () {
// CHECK-NEXT: program.output
program.graph @main "topology" () {
  program.output
}

// -----

// An output that a node leaves out is no output of the graph's node.

// CHECK-LABEL: program.graph @omitted
// CHECK: %{{.*}} = program.node "{{.*}}" ({{.*}} -> tensor<1x2x2xf32>
// CHECK: %{{.*}}, %[[H:.*]] = onnx.node "LSTM"
// CHECK: program.yield %[[H]] : tensor<1x2x2xf32>
func.func @omitted(%x: tensor<4x2x3xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x8x2xf32>) -> tensor<1x2x2xf32> {
  %0, %h = onnx.node "LSTM"(%x, %w, %r) {domain = "", version = 18 : i64, attributes = {hidden_size = 2 : i64}} : (tensor<4x2x3xf32>, tensor<1x8x3xf32>, tensor<1x8x2xf32>) -> (none, tensor<1x2x2xf32>)
  func.return %h : tensor<1x2x2xf32>
}
