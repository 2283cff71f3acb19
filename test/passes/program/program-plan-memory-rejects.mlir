// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-plan-memory

// expected-error @+1 {{program-plan-memory: expected conflicts on each node of @none or on none, found some without them; program-memory-dependencies writes them}}
program.graph @none "selected" (%x: tensor<16xf32>) {
  %a = program.node "a" (%v0 = %x) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  %b = program.node "b" (%v0 = %a) impl<"reference"> conflicts [] : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %b as "y" : tensor<16xf32>
}

// -----

// expected-error @+1 {{pass 'program-plan-memory': expected @again at stage selected, found "planned"}}
program.graph @again "planned" (%x: tensor<16xf32>) attributes {arena = 64 : i64} {
  %a = program.node "a" (%v0 = %x) impl<"reference"> mem<output, 0> conflicts [] : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %a as "y" : tensor<16xf32>
}
