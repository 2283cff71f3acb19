// RUN: snippets-opt %s -p program-select-implementations --split-input-file --verify-diagnostics --explain=program-select-implementations 2>&1 | filecheck %s
// RUN: snippets-opt %s -p 'program-select-implementations{force="r*:reference|relu:onnxruntime"}' --split-input-file | filecheck %s --check-prefix=FORCE

// The first row of the registry that fits runs a node; the others say why not.

// CHECK: program-select-implementations: @main
// CHECK-NEXT: "conv": snippets refused: no op of the snippets dialect stands for it; onnxruntime: chosen
// CHECK-NEXT: "relu": snippets: chosen
// CHECK-NEXT: "round": snippets refused: there are no kernels for f16 elements, only for f32, f64, i1, i32, i64; onnxruntime refused: snippets.round on these types has no node of ONNX; reference: chosen
// CHECK-NEXT: "kept": onnxruntime: kept
// CHECK: program-select-implementations: @costs
// CHECK-NEXT: "exp": snippets: chosen, {{[0-9]+}} ns
// CHECK-NEXT: "relu": onnxruntime: kept
// CHECK-NEXT: "round": snippets: chosen, {{[0-9]+}} ns
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

// -----

// With a target, the cost model says what a kernel and a node of the engine take.

// CHECK-LABEL: program.graph @costs "selected"
// CHECK: program.node "exp" (%{{.*}} = %{{.*}}) impl<"snippets", cost = {{[0-9]+}}> :
// FORCE-LABEL: program.graph @costs
// FORCE: program.node "exp" (%{{.*}} = %{{.*}}) impl<"snippets", cost = {{[0-9]+}}> :
// FORCE: program.node "relu" (%{{.*}} = %{{.*}}) impl<"onnxruntime", cost = {{[0-9]+}}> :
// FORCE: program.node "round" (%{{.*}} = %{{.*}}) impl<"reference"> :
builtin.module attributes {snippets.target = "x86-64-avx2"} {
  program.graph @costs "topology" (%x: tensor<64x512xf32>) {
    %0 = program.node "exp" (%a = %x) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
      %v = snippets.exp %a : tensor<64x512xf32>
      program.yield %v : tensor<64x512xf32>
    }
    %1 = program.node "relu" (%a = %0) impl<"onnxruntime"> : (tensor<64x512xf32>) -> tensor<64x512xf32> {
      %v = snippets.relu %a : tensor<64x512xf32>
      program.yield %v : tensor<64x512xf32>
    }
    %2 = program.node "round" (%a = %1) : (tensor<64x512xf32>) -> tensor<64x512xf32> {
      %v = snippets.round %a : tensor<64x512xf32>
      program.yield %v : tensor<64x512xf32>
    }
    program.output %2 as "y" : tensor<64x512xf32>
  }
}
