// RUN: snippets-opt %s -p convert-program-to-manifest | filecheck %s
// RUN: snippets-opt %s -p convert-program-to-manifest -t manifest > %t.json && snippets-opt %s -t manifest | diff - %t.json
// RUN: snippets-opt %s -p convert-program-to-manifest --check-each 2>&1 | filecheck %s --check-prefix=CHECKED
// RUN: snippets-opt %s -p 'convert-program-to-manifest{entry=twin}' | filecheck %s --check-prefix=TWIN
// RUN: not snippets-opt %s -p 'convert-program-to-manifest{entry=early}' 2>&1 | filecheck %s --check-prefix=EARLY
// RUN: not snippets-opt %s -p 'convert-program-to-manifest{entry=bare}' 2>&1 | filecheck %s --check-prefix=BARE
// RUN: not snippets-opt %s -p 'convert-program-to-manifest{entry=none}' 2>&1 | filecheck %s --check-prefix=NONE

// The graph becomes the attribute; kernels and other graphs stay.

// CHECK: builtin.module attributes {snippets.manifest = "{{.*}}version{{.*}}entry{{.*}}main{{.*}}steps{{.*}}impl{{.*}}reference{{.*}}"} {
// CHECK-NOT: program.graph @main
// CHECK: program.graph @twin
// CHECKED: remark: --check-each ends before pass 'convert-program-to-manifest'
// TWIN: snippets.manifest = "{{.*}}entry{{.*}}twin{{.*}}"
// TWIN: program.graph @main
// TWIN-NOT: program.graph @twin
program.graph @main "planned" (%x: tensor<4xf32>) attributes {arena = 0 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

program.graph @twin "selected" (%x: tensor<4xf32>) {
  program.output %x as "y" : tensor<4xf32>
}

// What has no steps yet is refused.

// EARLY: :35:1: error: @early: expected stage "selected" or later, found "fused"; run program-select-implementations
// BARE: :40:3: error: "a": impl<"snippets"> has no kernel; lower it first
// NONE: error: {{.*}}convert-program-to-manifest: expected a program.graph @none, found none; run convert-host-to-program before
program.graph @early "fused" (%x: tensor<4xf32>) {
  program.output %x as "y" : tensor<4xf32>
}

program.graph @bare "selected" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"snippets"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}
