// RUN: snippets-opt %s -p program-order --split-input-file --explain=program-order 2> %t.plan1 | filecheck %s
// RUN: snippets-opt %s -p program-order{by=levels} --split-input-file --explain=program-order 2> %t.plan | filecheck %s --check-prefix=LEVELS
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan
// RUN: filecheck %s --check-prefix=DEPTH --input-file=%t.plan1
// RUN: not snippets-opt %s -p program-order{by=level} --split-input-file 2>&1 | filecheck %s --check-prefix=WRONG

// WRONG: error: {{.*}}by: expected depth, memory or levels, found 'level'; did you mean

// What an output needs stands together, or what needs nothing of one another; constants come first.

// PLAN: program-order: @main
// PLAN-NEXT: "w", "a", "b", "d", "c", "v"

// DEPTH: program-order: @main
// DEPTH-NEXT: "w", "a", "c", "b", "v", "d"{{$}}

// CHECK-LABEL: program.graph @main
// CHECK-NEXT: program.data "w"
// CHECK-NEXT: program.node "a"
// CHECK: program.node "c"
// CHECK: program.node "b"
// CHECK: program.view "v"
// CHECK-NEXT: program.node "d"
// CHECK: program.output

// LEVELS-LABEL: program.graph @main
// LEVELS-NEXT: program.data "w"
// LEVELS-NEXT: program.node "a"
// LEVELS: program.node "b"
// LEVELS: program.node "d"
// LEVELS: program.node "c"
// LEVELS: program.view "v"
program.graph @main "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %1 = program.node "b" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %2 = program.node "c" (%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %w = program.data "w" dense<1.0> : tensor<4xf32>
  %3 = program.view "v" (%1) : tensor<4xf32> -> tensor<2x2xf32>
  %4 = program.node "d" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  program.output %2 as "y", %3 as "z", %4 as "u", %w as "w" : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The plan of a planned graph is for its order: "b" stays first.

// CHECK-LABEL: program.graph @planned
// CHECK-NEXT: program.node "b"
// CHECK: program.node "a"
program.graph @planned "planned" (%x: tensor<4xf32>) {
  %1 = program.node "b" (%a = %x) impl<"reference"> mem<output, 1> : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %0 = program.node "a" (%a = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  program.output %0 as "y", %1 as "z" : tensor<4xf32>, tensor<4xf32>
}
