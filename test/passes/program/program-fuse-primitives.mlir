// RUN: snippets-opt %s -p program-fuse-primitives --split-input-file --verify-each | filecheck %s
// RUN: snippets-opt %s -p program-fuse-primitives --split-input-file --check-each | filecheck %s
// RUN: snippets-opt %s -p program-fuse-primitives --split-input-file --explain=program-fuse-primitives 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: snippets-opt %s -p 'program-fuse-primitives{max-ops=0}' --split-input-file --explain=program-fuse-primitives 2>&1 | filecheck %s --check-prefix=OFF
// RUN: not snippets-opt %s -p 'program-fuse-primitives{max-ops=-1}' --split-input-file 2>&1 | filecheck %s --check-prefix=BAD
// RUN: snippets-opt %s -p 'program-fuse-primitives{off=bias,negative}' --split-input-file --explain=program-fuse-primitives 2>&1 | filecheck %s --check-prefix=KINDS
// RUN: not snippets-opt %s -p 'program-fuse-primitives{off=bias,relo}' --split-input-file 2>&1 | filecheck %s --check-prefix=KIND
// KIND: off: expected bias, sum or the name of an op, found 'relo'; did you mean 'relu'?
// KINDS: program-fuse-primitives: @main
// KINDS: "neg" stays: negative is off
// KINDS: program-fuse-primitives: @off
// KINDS-NEXT: fused: "sum", "y"
// KINDS-NEXT: "bias" stays: bias is off
// KINDS-NEXT: "y" stays: program.output reads it
// BAD: max-ops: expected 0 or more, found -1

// A tree of four; the node with the output's name gives the name.

// PLAN: program-fuse-primitives: @main
// PLAN-NEXT: fused: "sum", "neg", "twice", "y"
// PLAN-NEXT: "y" stays: program.output reads it
// OFF: program-fuse-primitives: @main
// OFF-NEXT: "sum" stays: more than 0 ops
// CHECK-LABEL: program.graph @main "fused"
// CHECK-NEXT: %[[Y:.*]] = program.node "y" ({{.*}}) origin ["sum", "neg", "twice", "y"] :
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.negative
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.maximum
// CHECK-NEXT: program.yield
// CHECK-NEXT: }
// CHECK-NEXT: program.output %[[Y]] as "y"
program.graph @main "topology" (%x: tensor<4x3xf32>, %b: tensor<3xf32>) {
  %0 = program.node "sum" (%u = %x, %v = %b) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.add %u, %v : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  %1 = program.node "neg" (%u = %x) : (tensor<4x3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.negative %u : tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  %2 = program.node "twice" (%u = %0) : (tensor<4x3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.multiply %u, %u : tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  %3 = program.node "y" (%u = %1, %v = %2) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.maximum %u, %v : tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  program.output %3 as "y" : tensor<4x3xf32>
}

// -----

// Nothing: two readers, an output, a reduction, an implementation, another shape.

// PLAN: program-fuse-primitives: @twin
// PLAN-NEXT: "both" stays: 2 nodes read it
// PLAN-NEXT: "kept" stays: program.output reads it
// PLAN-NEXT: "row" stays: snippets.reduce_sum does not work element by element
// PLAN-NEXT: "chosen" stays: it has the implementation reference
// PLAN-NEXT: "small" stays: "wide" has another shape
// PLAN-NEXT: "wide" stays: program.output reads it
// CHECK-LABEL: program.graph @twin "fused"
// CHECK: program.node "both"
// CHECK: program.node "kept"
// CHECK: program.node "row"
// CHECK: program.node "chosen"
// CHECK: program.node "small"
// CHECK: program.node "wide"
program.graph @twin "topology" (%x: tensor<4x3xf32>) {
  %0 = program.node "both" (%u = %x) : (tensor<4x3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.negative %u : tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  %1 = program.node "kept" (%u = %0) : (tensor<4x3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.relu %u : tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  %2 = program.node "row" (%u = %0) : (tensor<4x3xf32>) -> tensor<3xf32> {
    %9 = snippets.reduce_sum %u {axes = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<3xf32>
    program.yield %9 : tensor<3xf32>
  }
  %3 = program.node "chosen" (%u = %2) impl<"reference"> : (tensor<3xf32>) -> tensor<3xf32> {
    %9 = snippets.relu %u : tensor<3xf32>
    program.yield %9 : tensor<3xf32>
  }
  %4 = program.node "small" (%u = %3) : (tensor<3xf32>) -> tensor<3xf32> {
    %9 = snippets.relu %u : tensor<3xf32>
    program.yield %9 : tensor<3xf32>
  }
  %5 = program.node "wide" (%u = %4, %v = %x) : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32> {
    %9 = snippets.add %u, %v : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    program.yield %9 : tensor<4x3xf32>
  }
  program.output %1 as "k", %5 as "w" : tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

// With `off=bias` the add of a constant stays, the other one is fused.

// PLAN: program-fuse-primitives: @off
// PLAN-NEXT: fused: "bias", "sum", "y"
// CHECK-LABEL: program.graph @off "fused"
// CHECK: origin ["bias", "sum", "y"]
program.graph @off "topology" (%x: tensor<4xf32>, %z: tensor<4xf32>) {
  %c = program.data "c" dense<2.0> : tensor<4xf32>
  %0 = program.node "bias" (%u = %x, %v = %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %9 = snippets.add %u, %v : tensor<4xf32>
    program.yield %9 : tensor<4xf32>
  }
  %1 = program.node "sum" (%u = %0, %v = %z) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %9 = snippets.add %u, %v : tensor<4xf32>
    program.yield %9 : tensor<4xf32>
  }
  %2 = program.node "y" (%u = %1) : (tensor<4xf32>) -> tensor<4xf32> {
    %9 = snippets.relu %u : tensor<4xf32>
    program.yield %9 : tensor<4xf32>
  }
  program.output %2 as "y" : tensor<4xf32>
}
