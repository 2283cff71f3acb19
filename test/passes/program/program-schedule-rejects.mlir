// RUN: snippets-opt %s --split-input-file --verify-diagnostics -p program-schedule{queues=2}

// expected-error @+1 {{program-schedule: the memory of @main is planned for an in-order queue, found queues=2; expected conflicts of program-memory-dependencies{queue=out-of-order}}}
program.graph @main "planned" (%x: tensor<16xf32>) attributes {queue = "in-order", arena = 64 : i64} {
  %a = program.node "a" (%v0 = %x) impl<"reference"> mem<output, 0> conflicts [] : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %a as "y" : tensor<16xf32>
}

// -----

// expected-error @+1 {{pass 'program-schedule': expected @early at stage planned, found "selected"}}
program.graph @early "selected" (%x: tensor<16xf32>) {
  %a = program.node "a" (%v0 = %x) impl<"reference"> : (tensor<16xf32>) -> tensor<16xf32> {
    %r = snippets.relu %v0 : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }
  program.output %a as "y" : tensor<16xf32>
}
