// RUN: snippets-opt %s -p program-lower-implementations --split-input-file --verify-diagnostics --explain=program-lower-implementations 2> %t.plan | filecheck %s
// RUN: snippets-opt %s -p program-lower-implementations{merge=false} --split-input-file --verify-diagnostics | filecheck %s --check-prefix=APART
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// "c" can run with "a" and "b"; "d" reads what "k" makes of it.

// PLAN: program-lower-implementations: @main
// PLAN-NEXT: session of "a", "c"
// PLAN-NEXT: session of "d"
// PLAN-NEXT: kernel of "k/0"

// CHECK-LABEL: program.graph @main "selected"
// CHECK: %[[W:.*]] = program.data "w"
// CHECK: %[[A:[a-z0-9_]+]], %[[C:[a-z0-9_]+]] = program.node "a" (%[[X:.*]] = %{{.*}}, %[[V:.*]] = %[[W]]) impl<"onnxruntime"> origin ["a", "c"] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:   %[[S:.*]] = onnx.node "Sin"(%[[X]])
// CHECK-NEXT:   %[[T:.*]] = onnx.node "Add"(%[[S]], %[[V]])
// CHECK-NEXT:   %[[R:.*]] = snippets.relu %[[T]] {snippets.skipped = "onnxruntime runs it"}
// CHECK-NEXT:   program.yield %[[S]], %[[R]]
// CHECK: %[[K:.*]], %{{.*}} = program.node "k/0" (%[[P:.*]] = %[[A]], %{{.*}} = %{{.*}}) impl<"snippets"> :
// CHECK-NEXT:   %[[G:.*]], %{{.*}} = snippets.subgraph (%[[Q:.*]] = %[[P]], %[[N:.*]] = %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {sym_name = "k_0"} {
// CHECK-NEXT:     %[[E:.*]] = snippets.exp %[[Q]]
// CHECK-NEXT:     snippets.yield %[[E]], %[[N]]
// CHECK-NEXT:   }
// CHECK-NEXT:   program.yield %[[G]]
// CHECK: program.node "d" (%{{.*}} = %[[K]], %{{.*}} = %[[C]]) impl<"onnxruntime"> :

// APART: program.node "a"
// APART: program.node "k/0"
// APART-NEXT: snippets.subgraph
// APART: program.node "c" (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// APART: program.node "d"
program.graph @main "selected" (%x: tensor<4xf32>) {
  %w = program.data "w" dense<1.0> : tensor<4xf32>
  %0 = program.node "a" (%v = %x) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = onnx.node "Sin"(%v) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  %k, %l = program.node "k/0" (%v = %0, %u = %x) impl<"snippets"> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = snippets.exp %v : tensor<4xf32>
    program.yield %1, %u : tensor<4xf32>, tensor<4xf32>
  }
  %c = program.node "c" (%v = %0, %u = %w) impl<"onnxruntime"> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = onnx.node "Add"(%v, %u) {domain = "", version = 11 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = snippets.relu %1 : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %d = program.node "d" (%v = %k, %u = %c) impl<"onnxruntime"> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = onnx.node "Add"(%v, %u) {domain = "", version = 11 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  program.output %d as "y", %l as "z" : tensor<4xf32>, tensor<4xf32>
}

// -----

// The nodes of a planned graph have their memory: kernels are made, sessions stay apart, and so does
// the order.

// PLAN: program-lower-implementations: @planned
// PLAN-NEXT: session of "b"
// PLAN-NEXT: session of "a"
// PLAN-NEXT: kernel of "k"
// CHECK-LABEL: program.graph @planned "planned"
// CHECK: program.node "b" {{.*}} mem<output, 0> :
// CHECK: program.node "k" {{.*}} impl<"snippets"> mem<arena, 0, 16> :
// CHECK-NEXT: snippets.subgraph {{.*}} {sym_name = "k"} {
// CHECK-NEXT: snippets.exp
// CHECK: program.node "a" {{.*}} mem<output, 1> :
// APART-LABEL: program.graph @planned "planned"
program.graph @planned "planned" (%x: tensor<4xf32>) attributes {arena = 64 : i64} {
  %b = program.node "b" (%v = %x) impl<"onnxruntime"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = onnx.node "Abs"(%v) {domain = "", version = 13 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  %k = program.node "k" (%v = %x) impl<"snippets"> mem<arena, 0, 16> : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = snippets.exp %v : tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  %a = program.node "a" (%v = %x) impl<"onnxruntime"> mem<output, 1> : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = onnx.node "Abs"(%v) {domain = "", version = 13 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  program.output %b as "y", %a as "z" : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+1 {{@main: expected stage "selected" or later, found "topology"; run program-select-implementations before}}
program.graph @main "topology" () {
  program.output
}
