// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{P1: in @g: expected a stage of topology, fused, selected, planned, scheduled, found "late"}}
program.graph @g "late" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+6 {{P2: in @g: two values have the id "a"}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %1 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P2: in @g: two values have the id "x"}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "x" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+6 {{P2: in @g: two values have the id "a:1"}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0, %1 = program.node "a" (%v = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2, %2 : tensor<4xf32>, tensor<4xf32>
  }
  %3 = program.node "a:1" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+10 {{P2: in @g: two outputs have the name "y": "a" and "b"}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %1 = program.node "b" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y", %1 as "y" : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @+2 {{P3: in @g: "a" reads "b" before it is defined}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %1) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %1 = program.node "b" (%v = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P3: in @g: expected nodes, views, constants and a schedule, found snippets.relu}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = snippets.relu %x : tensor<4xf32>
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P5: in @g: expected one op in "a", found snippets.relu, snippets.negative}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    %3 = snippets.negative %2 : tensor<4xf32>
    program.yield %3 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P5: in @g: expected one op in "a", found none}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    program.yield %v : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P6: in @g: "a" has no implementation}}
program.graph @g "selected" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P6: in @g: "a" runs @k, which is not in the module}}
program.graph @g "selected" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"snippets", @k> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P7: in @g: "a" conflicts with "b", but not the other way}}
program.graph @g "selected" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> conflicts ["b"] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %1 = program.node "b" (%v = %x) impl<"reference"> conflicts [] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P7: in @g: "a" conflicts with "x", which is no result}}
program.graph @g "selected" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> conflicts ["x"] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P8: in @g: "a" has no memory}}
program.graph @g "planned" (%x: tensor<4xf32>) attributes {arena = 128 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P8: in @g: "a": expected 16 bytes, found 8}}
program.graph @g "planned" (%x: tensor<4xf32>) attributes {arena = 128 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<arena, 0, 8> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P8: in @g: "a" is at 8, no multiple of 64}}
program.graph @g "planned" (%x: tensor<4xf32>) attributes {arena = 128 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<arena, 8, 16> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P8: in @g: "a" [128, 144) ends after the arena of 128 bytes}}
program.graph @g "planned" (%x: tensor<4xf32>) attributes {arena = 128 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<arena, 128, 16> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P8: in @g: "a" is in output 1, which does not exist}}
program.graph @g "planned" (%x: tensor<4xf32>) attributes {arena = 128 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 1> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P8: in @g: "a" [0, 16) overlaps "b" [0, 64) of the arena: they conflict}}
program.graph @g "planned" (%x: tensor<4xf32>) attributes {arena = 128 : i64} {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<arena, 0, 16> conflicts ["b"] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  %1 = program.node "b" (%v = %x) impl<"reference"> mem<arena, 0, 64> conflicts ["a"] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+1 {{P9: in @g: expected one schedule at this stage, found 0}}
program.graph @g "scheduled" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+6 {{P9: in @g: expected no schedule yet at this stage, found 1}}
program.graph @g "planned" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.schedule {
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+6 {{P9: in @g: "a" is not launched}}
program.graph @g "scheduled" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.schedule {
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+8 {{P9: in @g: "a" is launched twice}}
program.graph @g "scheduled" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.schedule {
    program.launch "a" queue 0
    program.launch "a" queue 0
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+8 {{P9: in @g: "b" is launched and is no node}}
program.graph @g "scheduled" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.schedule {
    program.launch "a" queue 0
    program.launch "b" queue 0
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+7 {{P9: in @g: program.launch on queue 1 of 1}}
program.graph @g "scheduled" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.schedule {
    program.launch "a" queue 1
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+8 {{P9: in @g: queue 0 waits for an event that is not recorded before}}
program.graph @g "scheduled" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<output, 0> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.schedule {
    program.launch "a" queue 0
    program.wait %e queue 0
    %e = program.record queue 0
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{program.node "a": expected the body to yield (tensor<4xf32>), found (tensor<2xf32>)}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.constant dense<0.0> : tensor<2xf32>
    %3 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<2xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{program.node "a": expected one mem for each of 1 results, found 2}}
program.graph @g "planned" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<own, 0, 16> mem<own, 0, 16> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{program.view "v": expected as many elements as tensor<4xf32> has, found tensor<3xf32>}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.view "v" (%x) : tensor<4xf32> -> tensor<3xf32>
  program.output %0 as "y" : tensor<3xf32>
}

// -----

// expected-error @+2 {{program.view "v": expected in dims a dim of tensor<4xf32>, or -1, for each dim of tensor<2x2xf32>, found [0, 1]}}
program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.view "v" (%x) dims [0, 1] : tensor<4xf32> -> tensor<2x2xf32>
  program.output %0 as "y" : tensor<2x2xf32>
}

// -----

// expected-error @+2 {{expected one of arena, own, output, found heap}}
program.graph @g "planned" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) impl<"reference"> mem<heap, 0, 16> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+2 {{P4: in @g: "a" holds memref.load, which touches memory}}
program.graph @g "topology" (%m: memref<f32>) {
  %0 = program.node "a" (%v = %m) : (memref<f32>) -> f32 {
    %2 = memref.load %v[] : memref<f32>
    program.yield %2 : f32
  }
  program.output %0 as "y" : f32
}
