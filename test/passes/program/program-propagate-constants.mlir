// RUN: snippets-opt %s -p program-propagate-constants --split-input-file --verify-each | filecheck %s
// RUN: snippets-opt %s -p program-propagate-constants --split-input-file --explain=program-propagate-constants 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: snippets-opt %s -p 'program-propagate-constants{max-bytes=7}' --split-input-file --explain=program-propagate-constants 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: snippets-opt %s -p program-propagate-constants --split-input-file --check-each | filecheck %s

// A chain through a view and a node of two results; its last link and one of the two are constants.

// PLAN: program-propagate-constants: @main
// PLAN-NEXT: "root": computed
// PLAN-NEXT: "both": computed
// PLAN-NEXT: "both:1": a constant of 8 bytes
// PLAN-NEXT: program-propagate-constants: @twin
// PLAN-NEXT: "chosen" stays: it has the implementation reference
// PLAN-NEXT: "theirs" stays: onnx.node has no value at compile time

// A node that is too large keeps what reads it.
// SMALL: program-propagate-constants: @main
// SMALL-NEXT: "root" stays: 8 bytes are more than 7
// SMALL-NEXT: program-propagate-constants: @twin

// CHECK-LABEL: program.graph @main "topology" (%{{.*}} "x": tensor<1x2xf32>) {
// CHECK-NEXT: %{{.*}} = program.data "kept" dense<3.000000e+00> : tensor<1x2xf32>
// CHECK-NEXT: %[[C:.*]] = program.data "both:1" dense<{{\[\[}}-1.000000e+00, -2.000000e+00]]> : tensor<1x2xf32>
// CHECK-NEXT: %{{.*}} = program.node "sum" (%{{.*}} = %x, %{{.*}} = %[[C]]) :
// CHECK-NOT: program.node
program.graph @main "topology" (%x: tensor<1x2xf32>) {
  %w = program.data "w" dense<[1.0, 4.0]> : tensor<2xf32>
  %k = program.data "kept" dense<3.0> : tensor<1x2xf32>
  %v = program.view "flat" (%w) : tensor<2xf32> -> tensor<1x2xf32>
  %0 = program.node "root" (%a = %v) : (tensor<1x2xf32>) -> tensor<1x2xf32> {
    %9 = snippets.sqrt %a : tensor<1x2xf32>
    program.yield %9 : tensor<1x2xf32>
  }
  %1, %2 = program.node "both" (%a = %0) : (tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) {
    %9 = snippets.negative %a : tensor<1x2xf32>
    program.yield %a, %9 : tensor<1x2xf32>, tensor<1x2xf32>
  }
  %3 = program.node "sum" (%a = %x, %b = %2) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> {
    %9 = snippets.add %a, %b : tensor<1x2xf32>
    program.yield %9 : tensor<1x2xf32>
  }
  program.output %3 as "y", %k as "k" : tensor<1x2xf32>, tensor<1x2xf32>
}

// -----

// Nothing: an input, an implementation that is chosen, an op of onnxruntime, and what reads them.

// CHECK-LABEL: program.graph @twin "topology"
// CHECK: program.node "input"
// CHECK: program.node "chosen"
// CHECK: program.node "theirs"
// CHECK: program.node "after"
program.graph @twin "topology" (%x: tensor<2xf32>) {
  %w = program.data "w" dense<[1.0, 4.0]> : tensor<2xf32>
  %0 = program.node "input" (%a = %x) : (tensor<2xf32>) -> tensor<2xf32> {
    %9 = snippets.sqrt %a : tensor<2xf32>
    program.yield %9 : tensor<2xf32>
  }
  %1 = program.node "chosen" (%a = %w) impl<"reference"> : (tensor<2xf32>) -> tensor<2xf32> {
    %9 = snippets.sqrt %a : tensor<2xf32>
    program.yield %9 : tensor<2xf32>
  }
  %2 = program.node "theirs" (%a = %w) : (tensor<2xf32>) -> tensor<2xf32> {
    %9 = onnx.node "Floor"(%a) {domain = "", version = 13 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    program.yield %9 : tensor<2xf32>
  }
  %3 = program.node "after" (%a = %2) : (tensor<2xf32>) -> tensor<2xf32> {
    %9 = snippets.sqrt %a : tensor<2xf32>
    program.yield %9 : tensor<2xf32>
  }
  program.output %0 as "a", %1 as "b", %3 as "c" : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
