// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8}' --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8 loop-depth=1}' 2>&1 | filecheck %s --check-prefix=DEPTH
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops' 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not snippets-opt %s -p 'lir-mark-loops{vector-size=-8}' 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not snippets-opt %s -p 'lir-mark-loops{vector-size=5}' 2>&1 | filecheck %s --check-prefix=ODD
// RUN: not snippets-opt %s -p 'lir-mark-loops{vector-size=512}' 2>&1 | filecheck %s --check-prefix=LARGE

// DEPTH: error: pass 'lir-mark-loops': loop-depth=1 leaves dims of [4, 300] without a loop
// TARGET: error: pass 'lir-mark-loops': expected the module to have a string attribute `snippets.target`
// NEGATIVE: error: pass 'lir-mark-loops': expected vector-size and loop-depth of 0 or more
// ODD: error: pass 'lir-mark-loops': expected vector-size to be a power of two of at most 256, found 5
// LARGE: error: pass 'lir-mark-loops': expected vector-size to be a power of two of at most 256, found 512

// A chain of direct readers is one group; the innermost loop goes by vectors, the others are parallel.
// CHECK-LABEL: @chain
// CHECK: lir.kernel @subgraph_0 "marked"
// CHECK-SAME: loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 300, inc 8, dim 0>]
// CHECK-NEXT: snippets.relu %a {lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[4, 300], sub [8]>
// CHECK-NEXT: snippets.abs {{.*}} {lir.loops = array<i64: 0, 1>
func.func @chain(%x: tensor<4x300xf32>) -> tensor<4x300xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x300xf32>) -> tensor<4x300xf32> {
    %0 = snippets.relu %a : tensor<4x300xf32>
    %1 = snippets.abs %0 : tensor<4x300xf32>
    snippets.yield %1 : tensor<4x300xf32>
  }
  func.return %r : tensor<4x300xf32>
}

// -----

// A dim of size 1 is walked in one step, and its ports hold one element; scalars have no loops.
// CHECK-LABEL: @single
// CHECK: loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 1, inc 1, dim 0>]
// CHECK: snippets.scalar {{.*}} {lir.loops = array<i64>
// CHECK: snippets.add {{.*}} lir.ports = [#lir.port<[4, 1], sub [1]>
func.func @single(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x1xf32>) -> tensor<4x1xf32> {
    %k = snippets.scalar 2.0 : f32
    %0 = snippets.add %a, %k : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
    snippets.yield %0 : tensor<4x1xf32>
  }
  func.return %r : tensor<4x1xf32>
}

// -----

// Does not fire: the second op does not read the first one, so it starts a group of its own.
// CHECK-LABEL: @two
// CHECK: loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>, #lir.loop<1, work 16, inc 8, dim 0, parallel>]
// CHECK: snippets.relu %a {lir.loops = array<i64: 0>
// CHECK: snippets.abs %a {lir.loops = array<i64: 1>
func.func @two(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %r, %s = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.abs %a : tensor<16xf32>
    snippets.yield %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
  func.return %r, %s : tensor<16xf32>, tensor<16xf32>
}

// -----

// An op without work begins a group, although it reads the op before it, and its loop over a dim of
// size 0 is not parallel.
// CHECK-LABEL: @idle
// CHECK: loops [#lir.loop<0, work 1, inc 1, dim 1, parallel>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 0, inc 1, dim 1>, #lir.loop<3, work 16, inc 8, dim 0>]
func.func @idle(%x: tensor<0x16xf32>, %y: tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<0x16xf32>) {
  %r, %s = snippets.subgraph (%a = %x, %b = %y) : (tensor<0x16xf32>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<0x16xf32>) {
    %0 = snippets.relu %b : tensor<1x16xf32>
    %1 = snippets.add %0, %a : (tensor<1x16xf32>, tensor<0x16xf32>) -> tensor<0x16xf32>
    snippets.yield %0, %1 : tensor<1x16xf32>, tensor<0x16xf32>
  }
  func.return %r, %s : tensor<1x16xf32>, tensor<0x16xf32>
}
