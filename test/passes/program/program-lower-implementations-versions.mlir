// RUN: snippets-opt %s -p program-lower-implementations --explain=program-lower-implementations 2>&1 | filecheck %s
// RUN: sed 's/version = 11/version = 13/; s/version = 6/version = 13/' %s > %t.mlir && snippets-opt %t.mlir -p program-lower-implementations --explain=program-lower-implementations -o %t.out 2>&1 | filecheck %s --check-prefix=SAME
// RUN: snippets-run %s --verify | filecheck %s --check-prefix=RESULT
// RUN: snippets-run %t.mlir --verify | filecheck %s --check-prefix=RESULT

// A session has one version of ONNX's operators. "d" could not run with "a", which comes before the
// "b" that it reads; ops of ours have no form in opset 6.

// CHECK: session of "a", "c"
// CHECK-NEXT: session of "b", "e"
// CHECK-NEXT: session of "d"
// CHECK-NEXT: session of "f"
// CHECK-NEXT: session of "g"
// CHECK: program.node "a" {{.*}} origin ["a", "c"]
// CHECK: program.node "b" {{.*}} origin ["b", "e"]
// CHECK: program.node "d" (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "f" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "g" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :

// SAME: session of "a", "b", "c", "d", "e", "f", "g"
// SAME-NOT: session

// RESULT: y: 4 float32 max_abs=0 max_rel=0 ok
// RESULT-NEXT: z: 4 float32 max_abs=0 max_rel=0 ok
// RESULT-NEXT: w: 4 float32 max_abs=0 max_rel=0 ok
program.graph @main "selected" (%x "x": tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = onnx.node "Sin"(%v) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %1 : tensor<4xf32>
  }
  %1 = program.node "b" (%v = %0) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = onnx.node "Tanh"(%v) {domain = "", version = 13 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %2 = program.node "c" (%v = %x) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %3 = onnx.node "Cos"(%v) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %3 : tensor<4xf32>
  }
  %3 = program.node "d" (%v = %1, %w = %2) impl<"onnxruntime"> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %4 = onnx.node "Add"(%v, %w) {domain = "", version = 11 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    program.yield %4 : tensor<4xf32>
  }
  %4 = program.node "e" (%v = %1) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %5 = snippets.relu %v : tensor<4xf32>
    program.yield %5 : tensor<4xf32>
  }
  %5 = program.node "f" (%v = %x) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %6 = onnx.node "Abs"(%v) {domain = "", version = 6 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %6 : tensor<4xf32>
  }
  %6 = program.node "g" (%v = %5) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %7 = snippets.relu %v : tensor<4xf32>
    program.yield %7 : tensor<4xf32>
  }
  program.output %3 as "y", %4 as "z", %6 as "w" : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
