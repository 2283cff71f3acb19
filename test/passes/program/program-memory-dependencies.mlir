// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies | filecheck %s
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies{queue=out-of-order} | filecheck %s --check-prefix OUT
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies{queue=out-of-order} --verify-each --check-each -o /dev/null
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies --explain=program-memory-dependencies -o %t.out 2>&1 | filecheck %s --check-prefix PLAN

// PLAN: program-memory-dependencies: @main
// PLAN-NEXT: in-order: 8 of 15 pairs conflict
// PLAN-NEXT: "A" and "B": "B" reads "A"
// PLAN-NEXT: "B" and "C": "D" reads "B" after "C" is written
// D reads B after C is written; on an out-of-order queue D may still read B when E is written.
// CHECK: attributes {queue = "in-order"}
// OUT: attributes {queue = "out-of-order"}
program.graph @main "selected" (%x: tensor<2x8192xf32>) {
  // CHECK: "A" ({{.*}}) impl<"reference"> conflicts ["B"] :
  // OUT: "A" ({{.*}}) impl<"reference"> conflicts ["B"] :
  %a = program.node "A" (%v0 = %x) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.relu %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  // CHECK: "B" ({{.*}}) impl<"reference"> conflicts ["A", "C", "D"] :
  // OUT: "B" ({{.*}}) impl<"reference"> conflicts ["A", "C", "D", "E"] :
  %b = program.node "B" (%v0 = %a) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.negative %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  // CHECK: "C" ({{.*}}) impl<"reference"> conflicts ["B", "D", "E"] :
  // OUT: "C" ({{.*}}) impl<"reference"> conflicts ["B", "D", "E"] :
  %c = program.node "C" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_max %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: "D" ({{.*}}) impl<"reference"> conflicts ["B", "C", "E", "F"] :
  // OUT: "D" ({{.*}}) impl<"reference"> conflicts ["B", "C", "E", "F"] :
  %d = program.node "D" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_min %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: "E" ({{.*}}) impl<"reference"> conflicts ["C", "D", "F"] :
  // OUT: "E" ({{.*}}) impl<"reference"> conflicts ["B", "C", "D", "F"] :
  %e = program.node "E" (%v0 = %c) impl<"reference"> : (tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.negative %v0 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: "F" ({{.*}}) impl<"reference"> conflicts ["D", "E"] :
  // OUT: "F" ({{.*}}) impl<"reference"> conflicts ["D", "E"] :
  %f = program.node "F" (%v0 = %d, %v1 = %e) impl<"reference"> : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.add %v0, %v1 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  program.output %f as "y" : tensor<8192xf32>
}

// -----

// A chain conflicts with its neighbours only: the rest is dead in time, or not yet written.
// PLAN: program-memory-dependencies: @chain
// PLAN-NEXT: in-order: 2 of 3 pairs conflict
// PLAN-NEXT: "a" and "b": "b" reads "a"
// PLAN-NEXT: "b" and "c": "c" reads "b"
program.graph @chain "selected" (%x: tensor<16xf32>) {
  // CHECK: "a" ({{.*}}) impl<"reference"> conflicts ["b"] :
  // OUT: "a" ({{.*}}) impl<"reference"> conflicts ["b"] :
  %a = program.node "a" (%v0 = %x) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: "b" ({{.*}}) impl<"reference"> conflicts ["a", "c"] :
  // OUT: "b" ({{.*}}) impl<"reference"> conflicts ["a", "c"] :
  %b = program.node "b" (%v0 = %a) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: "c" ({{.*}}) impl<"reference"> conflicts ["b"] :
  // OUT: "c" ({{.*}}) impl<"reference"> conflicts ["b"] :
  %c = program.node "c" (%v0 = %b) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %c as "y" : tensor<16xf32>
}

// -----

// A view is read as its owner, constants and inputs take no part, a result that nothing reads
// conflicts with what is written with it, and results of one node never share.
program.graph @views "selected" (%x: tensor<16xf32>) {
  %w = program.data "w" dense<1.0> : tensor<16xf32>
  // CHECK: "a" ({{.*}}) impl<"reference"> conflicts ["b", "c"] :
  %a = program.node "a" (%v0 = %x, %v1 = %w) impl<"reference"> : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.add %v0, %v1 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %v = program.view "v" (%a) : tensor<16xf32> -> tensor<4x4xf32>
  %u = program.view "u" (%v) : tensor<4x4xf32> -> tensor<16xf32>
  // CHECK: "b" ({{.*}}) impl<"reference"> conflicts ["a"] :
  %b = program.node "b" (%v0 = %x) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: "c" ({{.*}}) impl<"reference"> conflicts ["a", "d", "d:1"] :
  %c = program.node "c" (%v0 = %u) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: "d" ({{.*}}) impl<"reference"> conflicts ["c", "d:1"] conflicts ["c", "d"] :
  %d, %e = program.node "d" (%v0 = %c) impl<"reference"> : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r, %r : tensor<16xf32>, tensor<16xf32>
  }
  program.output %d as "y" : tensor<16xf32>
}

// -----

// Two outputs, one in the middle: it is read at the end, and conflicts with all that follows.
program.graph @outputs "selected" (%x: tensor<16xf32>) {
  // CHECK: "a" ({{.*}}) impl<"reference"> conflicts ["b", "c"] :
  %a = program.node "a" (%v0 = %x) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: "b" ({{.*}}) impl<"reference"> conflicts ["a", "c"] :
  %b = program.node "b" (%v0 = %a) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %c = program.node "c" (%v0 = %b) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %c as "y", %a as "z", %x as "same" : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}

// -----

// Nothing to do.
// PLAN: program-memory-dependencies: @empty
// PLAN-NEXT: in-order: 0 of 0 pairs conflict
// CHECK: program.graph @empty "selected" () attributes {queue = "in-order"} {
// CHECK-NEXT: program.output
program.graph @empty "selected" () {
  program.output
}

// -----

// expected-error @+1 {{pass 'program-memory-dependencies': expected @early at stage selected, found "fused"}}
program.graph @early "fused" (%x: tensor<16xf32>) {
  %a = program.node "a" (%v0 = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %a as "y" : tensor<16xf32>
}
