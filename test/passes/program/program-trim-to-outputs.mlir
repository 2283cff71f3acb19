// RUN: snippets-opt %s -p program-trim-to-outputs --split-input-file --explain=program-trim-to-outputs 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// A dead chain goes, with its constant and view; the unused input and the second result stay.

// PLAN: program-trim-to-outputs: @main
// PLAN-NEXT: "w": no output needs it
// PLAN-NEXT: "dead": no output needs it
// PLAN-NEXT: "flat": no output needs it
// PLAN-NEXT: program-trim-to-outputs: @twin
// PLAN-NEXT: nothing

// CHECK-LABEL: program.graph @main "topology" (%{{.*}} "x": tensor<2x2xf32>, %{{.*}} "y": tensor<2x2xf32>) {
// CHECK-NEXT: %{{.*}}, %{{.*}} = program.node "live"
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: program.yield
// CHECK-NEXT: }
// CHECK-NEXT: program.output
program.graph @main "topology" (%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) {
  %w = program.data "w" dense<1.0> : tensor<2x2xf32>
  %0 = program.node "dead" (%a = %y, %b = %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    %v = snippets.add %a, %b : tensor<2x2xf32>
    program.yield %v : tensor<2x2xf32>
  }
  %1 = program.view "flat" (%0) : tensor<2x2xf32> -> tensor<4xf32>
  %2, %3 = program.node "live" (%a = %x) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %v = snippets.relu %a : tensor<2x2xf32>
    program.yield %v, %v : tensor<2x2xf32>, tensor<2x2xf32>
  }
  program.output %2 as "out" : tensor<2x2xf32>
}

// -----

// Everything is needed: an output may be in the middle, a constant or an input.

// CHECK-LABEL: program.graph @twin "topology"
// CHECK: program.data "w"
// CHECK: program.node "a"
// CHECK: program.node "b"
program.graph @twin "topology" (%x: tensor<4xf32>) {
  %w = program.data "w" dense<1.0> : tensor<4xf32>
  %0 = program.node "a" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %1 = program.node "b" (%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.exp %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  program.output %0 as "mid", %1 as "end", %w as "c", %x as "same" : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
