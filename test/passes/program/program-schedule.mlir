// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies{queue=out-of-order},program-plan-memory,program-schedule{queues=2} | snippets-opt --split-input-file | filecheck %s
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies,program-plan-memory,program-schedule | filecheck %s --check-prefix ONE
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies{queue=out-of-order},program-plan-memory{pool=records},program-schedule{queues=3} --verify-each --check-each -o /dev/null
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies{queue=out-of-order},program-plan-memory,program-schedule{queues=2} --explain=program-schedule -o %t.out 2>&1 | filecheck %s --check-prefix PLAN

// PLAN: program-schedule: @main
// PLAN-NEXT: queue 0 runs "A"
// PLAN-NEXT: queue 0 runs "B"
// PLAN-NEXT: queue 0 records that "B" is done
// PLAN-NEXT: queue 0 runs "C"
// PLAN-NEXT: queue 1 waits for "B"
// PLAN-NEXT: queue 1 runs "D"
// PLAN: program-schedule: @chain
// PLAN-NEXT: queue 0 runs "a"
// PLAN-NEXT: queue 0 runs "b"
// PLAN-NEXT: queue 0 runs "c"
// PLAN: program-schedule: @empty
// PLAN-NEXT: nothing to run
// CHECK: program.graph @main "scheduled" {{.*}}queue = "out-of-order"{{.*}} queues = 2 : i64
// ONE: program.graph @main "scheduled" {{.*}}queue = "in-order"{{.*}} queues = 1 : i64
program.graph @main "selected" (%x: tensor<2x8192xf32>) {
  %a = program.node "A" (%v0 = %x) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.relu %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  %b = program.node "B" (%v0 = %a) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.negative %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  %c = program.node "C" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_max %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  %d = program.node "D" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_min %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  %e = program.node "E" (%v0 = %c) impl<"reference"> : (tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.negative %v0 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  %f = program.node "F" (%v0 = %d, %v1 = %e) impl<"reference"> : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.add %v0, %v1 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: program.schedule {
  // CHECK-NEXT: program.launch "A" queue 0
  // CHECK-NEXT: program.launch "B" queue 0
  // CHECK-NEXT: %[[B:.*]] = program.record queue 0
  // CHECK-NEXT: program.launch "C" queue 0
  // CHECK-NEXT: program.wait %[[B]] queue 1
  // CHECK-NEXT: program.launch "D" queue 1
  // CHECK-NEXT: %[[D:.*]] = program.record queue 1
  // CHECK-NEXT: program.launch "E" queue 0
  // CHECK-NEXT: program.wait %[[D]] queue 0
  // CHECK-NEXT: program.launch "F" queue 0
  // CHECK-NEXT: }
  // ONE: program.schedule {
  // ONE-NEXT: program.launch "A" queue 0
  // ONE-NEXT: program.launch "B" queue 0
  // ONE-NEXT: program.launch "C" queue 0
  // ONE-NEXT: program.launch "D" queue 0
  // ONE-NEXT: program.launch "E" queue 0
  // ONE-NEXT: program.launch "F" queue 0
  // ONE-NEXT: }
  program.output %f as "y" : tensor<8192xf32>
}

// -----

// A chain stays on one queue and waits for nothing, also through a view.
// CHECK: program.graph @chain
program.graph @chain "selected" (%x: tensor<16xf32>) {
  %a = program.node "a" (%v0 = %x) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %v = program.view "v" (%a) : tensor<16xf32> -> tensor<16xf32>
  %b = program.node "b" (%v0 = %v) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %c = program.node "c" (%v0 = %b) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: program.schedule {
  // CHECK-NEXT: program.launch "a" queue 0
  // CHECK-NEXT: program.launch "b" queue 0
  // CHECK-NEXT: program.launch "c" queue 0
  // CHECK-NEXT: }
  program.output %c as "y" : tensor<16xf32>
}

// -----

// A long node has a queue for itself, and a queue waits once for what it reads twice.
// CHECK: program.graph @costs
program.graph @costs "selected" (%x: tensor<16xf32>) {
  %a = program.node "a" (%v0 = %x) impl<"reference", cost = 100> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %b = program.node "b" (%v0 = %x) impl<"reference", cost = 10> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %c = program.node "c" (%v0 = %b) impl<"reference", cost = 10> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %d = program.node "d" (%v0 = %a, %v1 = %c) impl<"reference"> : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.add %v0, %v1 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %e = program.node "e" (%v0 = %a, %v1 = %c) impl<"reference"> : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.add %v0, %v1 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %f = program.node "f" (%v0 = %d, %v1 = %e) impl<"reference"> : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.add %v0, %v1 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  // CHECK: program.schedule {
  // CHECK-NEXT: program.launch "a" queue 0
  // CHECK-NEXT: %[[A:.*]] = program.record queue 0
  // CHECK-NEXT: program.launch "b" queue 1
  // CHECK-NEXT: program.launch "c" queue 1
  // CHECK-NEXT: %[[C:.*]] = program.record queue 1
  // CHECK-NEXT: program.wait %[[C]] queue 0
  // CHECK-NEXT: program.launch "d" queue 0
  // CHECK-NEXT: program.wait %[[A]] queue 1
  // CHECK-NEXT: program.launch "e" queue 1
  // CHECK-NEXT: %[[E:.*]] = program.record queue 1
  // CHECK-NEXT: program.wait %[[E]] queue 0
  // CHECK-NEXT: program.launch "f" queue 0
  // CHECK-NEXT: }
  program.output %f as "y" : tensor<16xf32>
}

// -----

// CHECK: program.graph @empty "scheduled"
// CHECK: program.schedule {
// CHECK-NEXT: }
program.graph @empty "selected" () {
  program.output
}
