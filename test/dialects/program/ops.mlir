// RUN: snippets-opt %s | snippets-opt | filecheck %s
// RUN: snippets-opt %s --print-op-generic | snippets-opt | filecheck %s

// A graph at each stage prints, parses, and is the same in generic form.

// CHECK-LABEL: program.graph @topology "topology" (%{{.*}} "x": tensor<2x2xf32>, %{{.*}} "in/1:0": tensor<2x2xf32>) {
program.graph @topology "topology" (%x: tensor<2x2xf32>, %y "in/1:0": tensor<2x2xf32>) {
  // CHECK-NEXT: %{{.*}} = program.data "w" dense<1.000000e+00> : tensor<4xf32>
  %w = program.data "w" dense<1.0> : tensor<4xf32>
  // CHECK-NEXT: program.data "big" #snippets.resource<"m.onnx", "big", "ab12"> : tensor<4xf32>
  %big = program.data "big" #snippets.resource<"m.onnx", "big", "ab12"> : tensor<4xf32>
  // CHECK-NEXT: program.node "sum" (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) origin ["Add_0"] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = program.node "sum" (%a = %x, %b = %y) origin ["Add_0"] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    // CHECK-NEXT: snippets.add
    %1 = snippets.add %a, %b : tensor<2x2xf32>
    // CHECK-NEXT: program.yield %{{.*}} : tensor<2x2xf32>
    program.yield %1 : tensor<2x2xf32>
  }
  // CHECK: program.view "flat" (%{{.*}}) : tensor<2x2xf32> -> tensor<4xf32>
  %2 = program.view "flat" (%0) : tensor<2x2xf32> -> tensor<4xf32>
  // CHECK-NEXT: program.view "row" (%{{.*}}) dims [-1, 0] : tensor<4xf32> -> tensor<1x4xf32>
  %3 = program.view "row" (%2) dims [-1, 0] : tensor<4xf32> -> tensor<1x4xf32>
  // A value may be an output under two names.
  // CHECK-NEXT: program.output %{{.*}} as "y", %{{.*}} as "z", %{{.*}} as "w" : tensor<1x4xf32>, tensor<1x4xf32>, tensor<4xf32>
  program.output %3 as "y", %3 as "z", %w as "w" : tensor<1x4xf32>, tensor<1x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: program.graph @fused "fused"
program.graph @fused "fused" (%x: tensor<4xf32>) {
  // CHECK-NEXT: program.node "a" (%{{.*}} = %{{.*}}) attributes {note = "kept"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0, %1 = program.node "a" (%v = %x) attributes {note = "kept"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = snippets.relu %v : tensor<4xf32>
    %3 = snippets.negative %2 : tensor<4xf32>
    program.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  program.output %0 as "y", %1 as "z" : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: program.graph @selected "selected"
program.graph @selected "selected" (%x: tensor<4xf32>) {
  // CHECK-NEXT: program.node "a" (%{{.*}} = %{{.*}}) impl<"snippets", @kernel, cost = 12, scratch = 64> :
  %0 = program.node "a" (%v = %x) impl<"snippets", @kernel, cost = 12, scratch = 64> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  // CHECK: program.node "b" (%{{.*}} = %{{.*}}) impl<"reference"> :
  %1 = program.node "b" (%v = %0) impl<"reference"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.negative %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %1 as "y" : tensor<4xf32>
}
func.func private @kernel(tensor<4xf32>) -> tensor<4xf32>

// CHECK-LABEL: program.graph @planned "planned" (%{{.*}} "x": tensor<4xf32>) attributes {{{.*}}arena = 128 : i64
program.graph @planned "planned" (%x: tensor<4xf32>) attributes {queue = "in-order", arena = 128 : i64} {
  // CHECK-NEXT: impl<"reference"> mem<arena, 0, 16> mem<arena, 64, 16> conflicts ["a:1", "b"] conflicts ["a", "b"] :
  %0, %1 = program.node "a" (%v = %x) impl<"reference"> mem<arena, 0, 16> mem<arena, 64, 16> conflicts ["a:1", "b"] conflicts ["a", "b"] : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: program.node "b" (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) impl<"reference"> mem<output, 0> conflicts ["a", "a:1"] :
  %3 = program.node "b" (%v = %0, %w = %1) impl<"reference"> mem<output, 0> conflicts ["a", "a:1"] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.add %v, %w : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %3 as "y" : tensor<4xf32>
}

// CHECK-LABEL: program.graph @scheduled "scheduled"
program.graph @scheduled "scheduled" (%x: tensor<4xf32>) attributes {queues = 2 : i64, queue = "out-of-order"} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<own, 0, 16> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %1 = program.node "b" (%v = %0) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.negative %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  // CHECK: program.schedule {
  // CHECK-NEXT: program.launch "a" queue 1
  // CHECK-NEXT: %[[E:.*]] = program.record queue 1
  // CHECK-NEXT: program.wait %[[E]] queue 0
  // CHECK-NEXT: program.launch "b" queue 0
  program.schedule {
    program.launch "a" queue 1
    %e = program.record queue 1
    program.wait %e queue 0
    program.launch "b" queue 0
  }
  program.output %1 as "y" : tensor<4xf32>
}

// CHECK-LABEL: program.graph @empty "topology" () {
program.graph @empty "topology" () {
  // CHECK-NEXT: program.output
  program.output
}
