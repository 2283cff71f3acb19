// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// Laws P10 to P14; the twin that is right is program.graph @right.

program.graph @right "selected" (%x: tensor<4xf32>) attributes {queue = "out-of-order", queues = 2 : i64, arena = 0 : i64} {
  %0 = program.node "a" (%v = %x) impl<"snippets", cost = 0, scratch = 0> origin ["m", "n"] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+1 {{P10: in @g: expected queue = "in-order" or "out-of-order", found "banana"}}
program.graph @g "topology" (%x: tensor<4xf32>) attributes {queue = "banana"} {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+1 {{P10: in @g: expected arena = a number from 0 on, found "foo"}}
program.graph @g "topology" (%x: tensor<4xf32>) attributes {arena = "foo"} {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+1 {{P10: in @g: expected queues = a number from 1 on, found 0 : i64}}
program.graph @g "topology" (%x: tensor<4xf32>) attributes {queues = 0 : i64} {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+1 {{P10: in @g: expected one queue, or queue = "out-of-order", found 2 queues}}
program.graph @g "topology" (%x: tensor<4xf32>) attributes {queues = 2 : i64} {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

// expected-error @+1 {{P11: in @g: an input has an empty name}}
program.graph @g "topology" (%x "": tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "topology" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P11: in @g: program.node has an empty id}}
  %0 = program.node "" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "topology" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P11: in @g: origin of "a" names "n" twice}}
  %0 = program.node "a" (%v = %x) origin ["n", "n"] : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "topology" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  // expected-error @+1 {{P11: in @g: an output has an empty name}}
  program.output %0 as "" : tensor<4xf32>
}

// -----

program.graph @g "topology" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P12: in @g: "a": expected impl<...> of snippets, onnxruntime, reference, inside, found 'foo'}}
  %0 = program.node "a" (%v = %x) impl<"foo"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "topology" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P12: in @g: "a": expected cost of 0 or more, found -5}}
  %0 = program.node "a" (%v = %x) impl<"snippets", cost = -5> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "topology" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P13: in @g: "a" has mem at the stage "topology", expected none before "planned"}}
  %0 = program.node "a" (%v = %x) mem<arena, 0, 64> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.relu %v : tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "selected" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P14: in @g: "a" calls the kernel @k, found impl<"reference">, expected impl<"snippets">; a body before program-lower-implementations can run otherwise}}
  %0 = program.node "a" (%v = %x) impl<"reference"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = lir.call @k(%v) : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "selected" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P14: in @g: "a" calls the kernel @k, found impl of @g}}
  %0 = program.node "a" (%v = %x) impl<"snippets", @g> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = lir.call @k(%v) : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "selected" (%x: tensor<4xf32>) {
  // expected-error @+1 {{P14: in @g: "a": impl<"snippets">, but no kernel computes "Conv"}}
  %0 = program.node "a" (%v = %x) impl<"snippets"> : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = onnx.node "Conv"(%v) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %2 : tensor<4xf32>
  }
  program.output %0 as "y" : tensor<4xf32>
}

// -----

program.graph @g "selected" (%x: tensor<4x4xf32>) {
  // expected-error @+1 {{P14: in @g: "a": impl<"snippets">, but no kernel computes snippets.arg_max: snippets-decompose-arg-reductions has not decomposed it}}
  %0 = program.node "a" (%v = %x) impl<"snippets"> : (tensor<4x4xf32>) -> tensor<4xi64> {
    %2 = snippets.arg_max %v {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4xi64>
    program.yield %2 : tensor<4xi64>
  }
  program.output %0 as "y" : tensor<4xi64>
}
