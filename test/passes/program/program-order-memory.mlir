// RUN: snippets-opt %s -p program-order{by=memory} --split-input-file --explain=program-order 2>&1 | filecheck %s
// RUN: snippets-opt %s -p program-order{by=memory} --split-input-file --verify-each --check-each -o /dev/null

// "c" reads "a" and frees it before "b" is written: 16384 + 256 + 256 bytes in place of 32768 + 256 bytes.

// CHECK: program-order: @main
// CHECK-NEXT: depth: 16896 bytes live at once
// CHECK-NEXT: "a", "c", "b", "d", "e"
program.graph @main "topology" (%x: tensor<64x64xf32>) {
  %a = program.node "a" (%v = %x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    %r = snippets.relu %v : tensor<64x64xf32>
    program.yield %r : tensor<64x64xf32>
  }
  %b = program.node "b" (%v = %x) : (tensor<64x64xf32>) -> tensor<64x64xf32> {
    %r = snippets.negative %v : tensor<64x64xf32>
    program.yield %r : tensor<64x64xf32>
  }
  %c = program.node "c" (%v = %a) : (tensor<64x64xf32>) -> tensor<64xf32> {
    %r = snippets.reduce_max %v {axes = array<i64: 0>} : (tensor<64x64xf32>) -> tensor<64xf32>
    program.yield %r : tensor<64xf32>
  }
  %d = program.node "d" (%v = %b) : (tensor<64x64xf32>) -> tensor<64xf32> {
    %r = snippets.reduce_max %v {axes = array<i64: 0>} : (tensor<64x64xf32>) -> tensor<64xf32>
    program.yield %r : tensor<64xf32>
  }
  %e = program.node "e" (%v = %c, %w = %d) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
    %r = snippets.add %v, %w : tensor<64xf32>
    program.yield %r : tensor<64xf32>
  }
  program.output %e as "y" : tensor<64xf32>
}

// -----

// The twin: a chain has one order.

// CHECK: program-order: @chain
// CHECK-NEXT: text: 64 bytes live at once
// CHECK-NEXT: "a", "b"
program.graph @chain "topology" (%x: tensor<4xf32>) {
  %a = program.node "a" (%v = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %r = snippets.relu %v : tensor<4xf32>
    program.yield %r : tensor<4xf32>
  }
  %b = program.node "b" (%v = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %r = snippets.relu %v : tensor<4xf32>
    program.yield %r : tensor<4xf32>
  }
  program.output %b as "y" : tensor<4xf32>
}
