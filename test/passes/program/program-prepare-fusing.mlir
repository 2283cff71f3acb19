// RUN: snippets-opt %s -p program-prepare-fusing --split-input-file --check-each | filecheck %s
// RUN: snippets-opt %s -p program-prepare-fusing --split-input-file --explain=program-prepare-fusing 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: snippets-opt %s -p 'program-prepare-fusing{force="*:snippets"}' --split-input-file --explain=program-prepare-fusing 2>&1 | filecheck %s --check-prefix=PLAN
// RUN: snippets-opt %s -p 'program-prepare-fusing{force="*:onnxruntime"}' --split-input-file --explain=program-prepare-fusing 2>&1 | filecheck %s --check-prefix=FORCED
// RUN: not snippets-opt %s -p 'program-prepare-fusing{force="none:snippets"}' --split-input-file 2>&1 | filecheck %s --check-prefix=NONE
// NONE: error: {{.*}}force: no node matches 'none'; there are "sum", "half", "small"

// Two nodes move before two views; the constant that one of them reads is a single element.

// PLAN: program-prepare-fusing: @main
// PLAN-NEXT: "half", "small" before "flat", "rows"
// FORCED: program-prepare-fusing: @main
// FORCED-NEXT: "flat" stays: "sum" before it is not fused: onnxruntime is forced
// CHECK-LABEL: program.graph @main "topology"
// CHECK: %[[SUM:.*]] = program.node "sum"
// CHECK: %[[HALF:.*]] = program.node "half" (%[[A:.*]] = %[[SUM]], %[[B:.*]] = %{{.*}}) : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32> {
// CHECK-NEXT: %[[M:.*]] = snippets.multiply %[[A]], %[[B]] : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: program.yield %[[M]] : tensor<2x4xf32>
// CHECK: %[[SMALL:.*]] = program.node "small" (%[[C:.*]] = %[[HALF]]) : (tensor<2x4xf32>) -> tensor<2x4xi32> {
// CHECK-NEXT: snippets.convert_truncation %[[C]] : (tensor<2x4xf32>) -> tensor<2x4xi32>
// CHECK: %[[FLAT:.*]] = program.view "flat" (%[[SMALL]]) : tensor<2x4xi32> -> tensor<8xi32>
// CHECK-NEXT: %[[ROWS:.*]] = program.view "rows" (%[[FLAT]]) : tensor<8xi32> -> tensor<4x2xi32>
// CHECK-NEXT: program.output %[[ROWS]] as "y"
program.graph @main "topology" (%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) {
  %h = program.data "h" dense<0.5> : tensor<1xf32>
  %0 = program.node "sum" (%a = %x, %b = %y) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
    %9 = snippets.add %a, %b : tensor<2x4xf32>
    program.yield %9 : tensor<2x4xf32>
  }
  %1 = program.view "flat" (%0) : tensor<2x4xf32> -> tensor<8xf32>
  %2 = program.node "half" (%a = %1, %b = %h) : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32> {
    %9 = snippets.multiply %a, %b : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %3 = program.view "rows" (%2) : tensor<8xf32> -> tensor<4x2xf32>
  %4 = program.node "small" (%a = %3) : (tensor<4x2xf32>) -> tensor<4x2xi32> {
    %9 = snippets.convert_truncation %a : (tensor<4x2xf32>) -> tensor<4x2xi32>
    program.yield %9 : tensor<4x2xi32>
  }
  program.output %4 as "y" : tensor<4x2xi32>
}

// -----

// Views that lead back are left out, with a node between them or without; an input, too.

// PLAN: program-prepare-fusing: @back
// PLAN-NEXT: "relu" before "down", "up"
// PLAN-NEXT: left out: "down", "up"
// PLAN-NEXT: left out: "there", "back"
// FORCED: program-prepare-fusing: @back
// FORCED-NEXT: left out: "there", "back"
// FORCED-NEXT: "down" stays: "abs" before it is not fused: onnxruntime is forced
// CHECK-LABEL: program.graph @back "topology" (%x "x": tensor<2x4xf32>)
// CHECK: %[[ABS:.*]] = program.node "abs"
// CHECK: %[[RELU:.*]] = program.node "relu" (%{{.*}} = %[[ABS]]) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NOT: program.view
// CHECK: program.output %[[RELU]] as "y", %x as "z"
program.graph @back "topology" (%x: tensor<2x4xf32>) {
  %0 = program.node "abs" (%a = %x) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
    %9 = snippets.abs %a : tensor<2x4xf32>
    program.yield %9 : tensor<2x4xf32>
  }
  %1 = program.view "down" (%0) : tensor<2x4xf32> -> tensor<8xf32>
  %2 = program.node "relu" (%a = %1) : (tensor<8xf32>) -> tensor<8xf32> {
    %9 = snippets.relu %a : tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %3 = program.view "up" (%2) : tensor<8xf32> -> tensor<2x4xf32>
  %4 = program.view "there" (%x) : tensor<2x4xf32> -> tensor<1x8xf32>
  %5 = program.view "back" (%4) : tensor<1x8xf32> -> tensor<2x4xf32>
  program.output %3 as "y", %5 as "z" : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Nothing moves where no step is saved, or where a node needs the shape.

// PLAN: program-prepare-fusing: @twin
// PLAN-NEXT: "input" stays: it is a view of what no node computes
// PLAN-NEXT: "sums" stays: "total" before it is not fused: snippets.reduce_sum does not work element by element
// PLAN-NEXT: "shared" stays: others read "abs", too
// PLAN-NEXT: "joined" stays: what is after it is fused with "add"
// PLAN-NEXT: "last" stays: "plus" after it: snippets.add reads another value, 8
// PLAN-NEXT: "out" stays: no single node reads it
// CHECK-LABEL: program.graph @twin "topology"
// CHECK: program.view "input"
// CHECK: program.node "of_input"
// CHECK: program.view "sums"
// CHECK: program.node "of_sums"
// CHECK: program.view "shared"
// CHECK: program.node "of_shared"
// CHECK: program.view "joined"
// CHECK: program.node "of_joined"
// CHECK: program.view "last"
// CHECK: program.node "plus"
program.graph @twin "topology" (%x: tensor<2x4xf32>, %y: tensor<8xf32>) {
  %v0 = program.view "input" (%x) : tensor<2x4xf32> -> tensor<8xf32>
  %0 = program.node "of_input" (%a = %v0) : (tensor<8xf32>) -> tensor<8xf32> {
    %9 = snippets.relu %a : tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %1 = program.node "total" (%a = %x) : (tensor<2x4xf32>) -> tensor<4xf32> {
    %9 = snippets.reduce_sum %a {axes = array<i64: 0>} : (tensor<2x4xf32>) -> tensor<4xf32>
    program.yield %9 : tensor<4xf32>
  }
  %v1 = program.view "sums" (%1) : tensor<4xf32> -> tensor<2x2xf32>
  %2 = program.node "of_sums" (%a = %v1) : (tensor<2x2xf32>) -> tensor<2x2xf32> {
    %9 = snippets.relu %a : tensor<2x2xf32>
    program.yield %9 : tensor<2x2xf32>
  }
  %3 = program.node "abs" (%a = %x) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
    %9 = snippets.abs %a : tensor<2x4xf32>
    program.yield %9 : tensor<2x4xf32>
  }
  %v2 = program.view "shared" (%3) : tensor<2x4xf32> -> tensor<8xf32>
  %4 = program.node "of_shared" (%a = %v2) : (tensor<8xf32>) -> tensor<8xf32> {
    %9 = snippets.relu %a : tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %5 = program.node "twice" (%a = %x, %b = %3) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
    %9 = snippets.multiply %a, %b : tensor<2x4xf32>
    program.yield %9 : tensor<2x4xf32>
  }
  %v3 = program.view "joined" (%5) : tensor<2x4xf32> -> tensor<8xf32>
  %6 = program.node "of_joined" (%a = %v3) : (tensor<8xf32>) -> tensor<8xf32> {
    %9 = snippets.relu %a : tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %7 = program.node "add" (%a = %6, %b = %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    %9 = snippets.add %a, %b : tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %8 = program.node "floor" (%a = %x) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
    %9 = snippets.floor %a : tensor<2x4xf32>
    program.yield %9 : tensor<2x4xf32>
  }
  %v4 = program.view "last" (%8) : tensor<2x4xf32> -> tensor<8xf32>
  %10 = program.node "plus" (%a = %v4, %b = %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
    %9 = snippets.add %a, %b : tensor<8xf32>
    program.yield %9 : tensor<8xf32>
  }
  %11 = program.node "ceiling" (%a = %x) : (tensor<2x4xf32>) -> tensor<2x4xf32> {
    %9 = snippets.ceiling %a : tensor<2x4xf32>
    program.yield %9 : tensor<2x4xf32>
  }
  %v5 = program.view "out" (%11) : tensor<2x4xf32> -> tensor<8xf32>
  program.output %0 as "a", %2 as "b", %4 as "c", %7 as "d", %10 as "e", %v5 as "f"
      : tensor<8xf32>, tensor<2x2xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
