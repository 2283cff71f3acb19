// RUN: snippets-opt %s -p convert-host-to-program{lowered=true} --split-input-file --verify-diagnostics | filecheck %s
// RUN: snippets-opt %s -p convert-host-to-program,program-lower-implementations --split-input-file --verify-diagnostics | filecheck %s --check-prefix=TWO
// RUN: snippets-opt %s -p convert-host-to-program{lowered=true} --split-input-file --verify-diagnostics --explain=convert-host-to-program -o %t 2>&1 | filecheck %s --check-prefix=PLAN

// PLAN:      convert-host-to-program: @main
// PLAN-NEXT: stage selected
// PLAN-NEXT: "w": data
// PLAN-NEXT: "p": data
// PLAN-NEXT: "a", "b": node of onnx.node Sin, onnx.node Add by onnxruntime
// PLAN-NEXT: "k": node of lir.call by snippets @k
// PLAN-NEXT: "relu": node of snippets.relu by reference

// What one session computes is one node; "b" moves before the kernel that it does not read.

// CHECK-LABEL: program.graph @main "selected"
// CHECK-NEXT: %[[W:.*]] = program.data "w" dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %[[P:.*]] = program.data "p" #snippets.panels<dense<1.000000e+00> : tensor<4x20xf32>, width 16> : tensor<2x4x16xf32>
// CHECK-NEXT: %[[A:[a-z0-9_]+]], %[[B:[a-z0-9_]+]] = program.node "a" (%[[X:.*]] = %{{.*}}, %[[V:.*]] = %[[W]]) impl<"onnxruntime"> origin ["a", "b"] : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT:   %[[S:.*]] = onnx.node "Sin"(%[[X]])
// CHECK-NEXT:   %[[T:.*]] = onnx.node "Add"(%[[S]], %[[V]])
// CHECK-NEXT:   program.yield %[[S]], %[[T]]
// CHECK: %[[K:.*]] = program.node "k" (%{{.*}} = %[[A]], %{{.*}} = %[[P]]) impl<"snippets", @k> :
// CHECK: program.node "relu" (%{{.*}} = %[[K]]) impl<"reference"> :
// CHECK-NOT: program.node
// CHECK: program.output
// TWO-LABEL: program.graph @main "selected"
// TWO: program.node "a" {{.*}} impl<"onnxruntime"> origin ["a", "b"] :
// TWO: program.node "k"
// TWO: program.node "relu"
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %w = snippets.constant dense<1.0> : tensor<4xf32>
  %p = snippets.constant #snippets.panels<dense<1.0> : tensor<4x20xf32>, width 16> : tensor<2x4x16xf32>
  %a = onnx.node "Sin"(%x) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %k = lir.call @k(%a, %p) : (tensor<4xf32>, tensor<2x4x16xf32>) -> tensor<4xf32>
  %b = onnx.node "Add"(%a, %w) {domain = "", version = 11 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = snippets.relu %k : tensor<4xf32>
  func.return %0, %b : tensor<4xf32>, tensor<4xf32>
}
func.func private @k(%p: !llvm.ptr, %b: i64, %e: i64, %t: i64)

// -----

// The twin: sessions with a kernel between them stay two; without `lowered` each op is a node.

// CHECK-LABEL: program.graph @main "selected"
// CHECK: program.node "a" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "k"
// CHECK: program.node "b" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// TWO-LABEL: program.graph @main "selected"
// TWO: program.node "a" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// TWO: program.node "b" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = onnx.node "Sin"(%x) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %k = lir.call @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %b = onnx.node "Sin"(%k) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func private @k(%p: !llvm.ptr, %b: i64, %e: i64, %t: i64)

// -----

// Two sessions where one has no version of the operators for both, and none of what nothing reads.

// CHECK-LABEL: program.graph @main "selected"
// CHECK: program.node "a" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "b" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "k"
// CHECK-NOT: program.node
// CHECK: program.output
// TWO-LABEL: program.graph @main "selected"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = onnx.node "Sin"(%x) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %b = onnx.node "Tanh"(%a) {domain = "", version = 13 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %k = lir.call @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
  %dead = onnx.node "Sin"(%k) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %more = onnx.node "Cos"(%dead) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}
func.func private @k(%p: !llvm.ptr, %b: i64, %e: i64, %t: i64)
