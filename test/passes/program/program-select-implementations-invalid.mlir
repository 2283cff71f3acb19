// RUN: not snippets-opt %s -p 'program-select-implementations{force=a:cuda}' 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not snippets-opt %s -p 'program-select-implementations{force=a}' 2>&1 | filecheck %s --check-prefix=PAIR
// RUN: not snippets-opt %s -p 'program-select-implementations{force="z*:snippets"}' 2>&1 | filecheck %s --check-prefix=MATCH
// RUN: not snippets-opt %s -p 'program-select-implementations{force=a:snippets}' 2>&1 | filecheck %s --check-prefix=FORCED
// RUN: not snippets-opt %s -p program-select-implementations 2>&1 | filecheck %s --check-prefix=NONE
// RUN: sed 's/"a" (%a = %x)/"a" (%a = %x) impl<"onnxrumtime">/' %s > %t.mlir && not snippets-opt %t.mlir -p program-select-implementations 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: sed 's/"a" (%a = %x)/"a" (%a = %x) impl<"inside">/' %s > %t.mlir && not snippets-opt %t.mlir -p program-select-implementations 2>&1 | filecheck %s --check-prefix=INSIDE
// RUN: sed 's/"b" (%a = %x)/"b" (%a = %x) impl<"onnxruntime">/' %s > %t.mlir && not snippets-opt %t.mlir -p program-select-implementations 2>&1 | filecheck %s --check-prefix=REFUSED

// TEXT: :20:3: error: 'program.node' op P12: in @main: "a": expected impl<...> of snippets, onnxruntime, reference, inside, found 'onnxrumtime'; did you mean 'onnxruntime'?
// INSIDE: error: "a": impl<"inside"> refused it: chains of elementwise nodes
// REFUSED: error: "b": impl<"onnxruntime"> refused it: arith.negf on these types has no node of ONNX
// KIND: error: {{.*}}force: expected one of snippets, onnxruntime, reference, inside, found 'cuda'
// PAIR: error: {{.*}}force: expected PATTERN:KIND, found 'a'
// MATCH: error: {{.*}}force: no node matches 'z*'; there are "a", "b"
// FORCED: :20:3: error: "a": snippets is forced and refused it: no op of the snippets dialect stands for it
// NONE: :24:3: error: "b": no implementation: snippets refused: arith.negf is not an op of the snippets dialect; onnxruntime refused: arith.negf on these types has no node of ONNX; reference refused: arith.negf has no definition in NumPy

program.graph @main "fused" (%x: tensor<4xf32>) {
  %0 = program.node "a" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = onnx.node "Conv"(%a) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %1 = program.node "b" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = arith.negf %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  program.output %0 as "y", %1 as "z" : tensor<4xf32>, tensor<4xf32>
}
