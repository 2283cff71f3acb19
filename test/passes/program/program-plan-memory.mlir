// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies,program-plan-memory | filecheck %s
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies,program-plan-memory{pool=records} | filecheck %s --check-prefix RECORDS
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies,program-plan-memory{pool=none} | filecheck %s --check-prefix NONE
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies{queue=out-of-order},program-plan-memory | filecheck %s --check-prefix OUT
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies,program-plan-memory --verify-each --check-each -o /dev/null
// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-memory-dependencies,program-plan-memory --explain=program-plan-memory -o %t.out 2>&1 | filecheck %s --check-prefix PLAN

// PLAN: program-plan-memory: @main
// PLAN-NEXT: offsets by {{.*}}: an arena of 131072 bytes; 131072 live at once, 229376 without sharing
// PLAN-NEXT: "A": arena [0, 65536)
// PLAN-NEXT: "B": arena [65536, 131072)
// PLAN-NEXT: "C": arena [0, 32768)
// PLAN-NEXT: "D": arena [32768, 65536)
// PLAN-NEXT: "E": arena [65536, 98304)
// PLAN-NEXT: "F": output 0
// 128, 160 and 224 KiB; on an out-of-order queue 160, since E cannot take the bytes of B.
// CHECK: program.graph @main "planned" {{.*}} arena = 131072 : i64
// RECORDS: program.graph @main "planned" {{.*}} arena = 163840 : i64
// NONE: program.graph @main "planned" {{.*}} arena = 229376 : i64
// OUT: program.graph @main "planned" {{.*}} arena = 163840 : i64
program.graph @main "selected" (%x: tensor<2x8192xf32>) {
  // CHECK: "A" {{.*}} mem<arena, 0, 65536> conflicts
  // RECORDS: "A" {{.*}} mem<arena, 0, 65536> conflicts
  // NONE: "A" {{.*}} mem<arena, 0, 65536> conflicts
  // OUT: "A" {{.*}} mem<arena, 0, 65536> conflicts
  %a = program.node "A" (%v0 = %x) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.relu %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  // CHECK: "B" {{.*}} mem<arena, 65536, 65536> conflicts
  // RECORDS: "B" {{.*}} mem<arena, 65536, 65536> conflicts
  // NONE: "B" {{.*}} mem<arena, 65536, 65536> conflicts
  // OUT: "B" {{.*}} mem<arena, 65536, 65536> conflicts
  %b = program.node "B" (%v0 = %a) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.negative %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  // CHECK: "C" {{.*}} mem<arena, 0, 32768> conflicts
  // RECORDS: "C" {{.*}} mem<arena, 0, 32768> conflicts
  // NONE: "C" {{.*}} mem<arena, 131072, 32768> conflicts
  // OUT: "C" {{.*}} mem<arena, 0, 32768> conflicts
  %c = program.node "C" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_max %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: "D" {{.*}} mem<arena, 32768, 32768> conflicts
  // RECORDS: "D" {{.*}} mem<arena, 131072, 32768> conflicts
  // NONE: "D" {{.*}} mem<arena, 163840, 32768> conflicts
  // OUT: "D" {{.*}} mem<arena, 32768, 32768> conflicts
  %d = program.node "D" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_min %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: "E" {{.*}} mem<arena, 65536, 32768> conflicts
  // RECORDS: "E" {{.*}} mem<arena, 65536, 32768> conflicts
  // NONE: "E" {{.*}} mem<arena, 196608, 32768> conflicts
  // OUT: "E" {{.*}} mem<arena, 131072, 32768> conflicts
  %e = program.node "E" (%v0 = %c) impl<"reference"> : (tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.negative %v0 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  // CHECK: "F" {{.*}} mem<output, 0> conflicts
  %f = program.node "F" (%v0 = %d, %v1 = %e) impl<"reference"> : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.add %v0, %v1 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  program.output %f as "y" : tensor<8192xf32>
}

// -----

// A result that is an output through a view is written to the array of the first such output; an
// input that is an output has none. Sizes are rounded up to 64 bytes between results; an empty
// result takes nothing; one of unknown size has memory of its own.
// CHECK: program.graph @outputs "planned" {{.*}} arena = 192 : i64
program.graph @outputs "selected" (%x: tensor<17xf32>, %q: tensor<?xf32>, %z: tensor<0xf32>) {
  // CHECK: "a" {{.*}} mem<output, 1> conflicts
  %a = program.node "a" (%v0 = %x) impl<"reference"> : (tensor<17xf32>) -> tensor<17xf32> {
    %r = snippets.relu %v0 : tensor<17xf32>
    program.yield %r : tensor<17xf32>
  }
  %v = program.view "v" (%a) : tensor<17xf32> -> tensor<1x17xf32>
  // CHECK: "b" {{.*}} mem<arena, {{0|64}}, 68> conflicts
  %b = program.node "b" (%v0 = %a) impl<"reference"> : (tensor<17xf32>) -> tensor<17xf32> {
    %r = snippets.relu %v0 : tensor<17xf32>
    program.yield %r : tensor<17xf32>
  }
  // CHECK: "s" {{.*}} mem<arena, {{0|128}}, 4> conflicts
  %s = program.node "s" (%v0 = %b) impl<"reference"> : (tensor<17xf32>) -> tensor<f32> {
    %r = snippets.reduce_sum %v0 {axes = array<i64: 0>} : (tensor<17xf32>) -> tensor<f32>
    program.yield %r : tensor<f32>
  }
  // CHECK: "d" {{.*}} mem<own, 0> conflicts
  %d = program.node "d" (%v0 = %q) impl<"reference"> : (tensor<?xf32>) -> tensor<?xf32> {
    %r = snippets.relu %v0 : tensor<?xf32>
    program.yield %r : tensor<?xf32>
  }
  // CHECK: "e" {{.*}} mem<arena, 0, 0> conflicts
  %e = program.node "e" (%v0 = %z) impl<"reference"> : (tensor<0xf32>) -> tensor<0xf32> {
    %r = snippets.relu %v0 : tensor<0xf32>
    program.yield %r : tensor<0xf32>
  }
  // CHECK: "f" {{.*}} mem<output, 3> conflicts
  %f = program.node "f" (%v0 = %s, %v1 = %d, %v2 = %e) impl<"reference"> : (tensor<f32>, tensor<?xf32>, tensor<0xf32>) -> tensor<f32> {
    %r = snippets.relu %v0 : tensor<f32>
    program.yield %r : tensor<f32>
  }
  program.output %x as "x_again", %v as "y", %a as "y2", %f as "z" : tensor<17xf32>, tensor<1x17xf32>, tensor<17xf32>, tensor<f32>
}

// -----

// expected-error @+1 {{pass 'program-memory-dependencies': expected @early at stage selected, found "topology"}}
program.graph @early "topology" (%x: tensor<16xf32>) {
  %a = program.node "a" (%v0 = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %a as "y" : tensor<16xf32>
}
