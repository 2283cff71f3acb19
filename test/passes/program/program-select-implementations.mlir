// RUN: snippets-opt %s -p program-select-implementations --split-input-file --verify-diagnostics --explain=program-select-implementations 2>&1 | filecheck %s
// RUN: snippets-opt %s -p 'program-select-implementations{force="r*:reference|relu:onnxruntime"}' --split-input-file | filecheck %s --check-prefix=FORCE

// The first row of the registry that fits runs a node; the others say why not.

// CHECK: program-select-implementations: @main
// CHECK-NEXT: "conv": snippets refused: no op of the snippets dialect stands for it; onnxruntime: chosen
// CHECK-NEXT: "relu": snippets: chosen
// CHECK-NEXT: "round": snippets refused: there are no kernels for f16 elements, only for f32, f64, i1, i32, i64; onnxruntime refused: snippets.round on these types has no node of ONNX; reference: chosen
// CHECK-NEXT: "kept": onnxruntime: kept
// CHECK-LABEL: program.graph @main "selected"
// CHECK: program.node "conv" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "relu" (%{{.*}} = %{{.*}}) impl<"snippets"> :
// CHECK: program.node "round" (%{{.*}} = %{{.*}}) impl<"reference"> :
// CHECK: program.node "kept" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :

// FORCE: program.node "conv" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// FORCE: program.node "relu" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// FORCE: program.node "round" (%{{.*}} = %{{.*}}) impl<"reference"> :
program.graph @main "topology" (%x: tensor<4xf32>, %h: tensor<4xf16>) {
  %0 = program.node "conv" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = onnx.node "Conv"(%a) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %1 = program.node "relu" (%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %2 = program.node "round" (%a = %h) : (tensor<4xf16>) -> tensor<4xf16> {
    %v = snippets.round %a : tensor<4xf16>
    program.yield %v : tensor<4xf16>
  }
  %3 = program.node "kept" (%a = %1) impl<"onnxruntime"> : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  program.output %2 as "y", %3 as "z" : tensor<4xf16>, tensor<4xf32>
}
