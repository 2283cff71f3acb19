// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops' --split-input-file | filecheck %s

// A diamond: three groups become one loop.
// CHECK-LABEL: @diamond
// CHECK: lir.kernel
// CHECK-SAME: loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
// CHECK-COUNT-4: lir.loops = array<i64: 0>
func.func @diamond(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.abs %a : tensor<16xf32>
    %2 = snippets.negative %0 : tensor<16xf32>
    %3 = snippets.add %2, %1 : tensor<16xf32>
    snippets.yield %3 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}

// -----

// A small value that is broadcast fuses with the large loop: its own has work 1 and increment 1.
// CHECK-LABEL: @broadcast
// CHECK: loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 300, inc 8, dim 0>]
// CHECK: snippets.exp %b {lir.loops = array<i64: 0, 1>
// CHECK: snippets.add {{.*}} {lir.loops = array<i64: 0, 1>
func.func @broadcast(%x: tensor<4x300xf32>, %y: tensor<4x1xf32>) -> tensor<4x300xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<4x300xf32>, tensor<4x1xf32>) -> tensor<4x300xf32> {
    %0 = snippets.relu %a : tensor<4x300xf32>
    %1 = snippets.exp %b : tensor<4x1xf32>
    %2 = snippets.add %0, %1 : (tensor<4x300xf32>, tensor<4x1xf32>) -> tensor<4x300xf32>
    snippets.yield %2 : tensor<4x300xf32>
  }
  func.return %r : tensor<4x300xf32>
}

// -----

// Siblings of equal work share a loop although neither reads the other.
// CHECK-LABEL: @siblings
// CHECK: loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
func.func @siblings(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %r, %s = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.abs %a : tensor<16xf32>
    snippets.yield %0, %1 : tensor<16xf32>, tensor<16xf32>
  }
  func.return %r, %s : tensor<16xf32>, tensor<16xf32>
}

// -----

// Does not fire: other work amounts (F2); outermost loops that are apart are both parallel.
// CHECK-LABEL: @twin
// CHECK: loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>, #lir.loop<1, work 24, inc 8, dim 0, parallel>] {
func.func @twin(%x: tensor<16xf32>, %y: tensor<24xf32>) -> (tensor<16xf32>, tensor<24xf32>) {
  %r, %s = snippets.subgraph (%a = %x, %b = %y) : (tensor<16xf32>, tensor<24xf32>) -> (tensor<16xf32>, tensor<24xf32>) {
    %0 = snippets.relu %a : tensor<16xf32>
    %1 = snippets.abs %b : tensor<24xf32>
    snippets.yield %0, %1 : tensor<16xf32>, tensor<24xf32>
  }
  func.return %r, %s : tensor<16xf32>, tensor<24xf32>
}

// -----

// Does not fire: nothing would run in a loop without work (F2), and %0 has elements.
// CHECK-LABEL: @idle
// CHECK: loops [#lir.loop<0, work 1, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0>, #lir.loop<2, work 0, inc 1, dim 1>, #lir.loop<3, work 16, inc 8, dim 0>] {
func.func @idle(%x: tensor<0x16xf32>, %y: tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<0x16xf32>) {
  %r, %s = snippets.subgraph (%a = %x, %b = %y) : (tensor<0x16xf32>, tensor<1x16xf32>) -> (tensor<1x16xf32>, tensor<0x16xf32>) {
    %0 = snippets.relu %b : tensor<1x16xf32>
    %1 = snippets.abs %a : tensor<0x16xf32>
    %2 = snippets.add %0, %1 : (tensor<1x16xf32>, tensor<0x16xf32>) -> tensor<0x16xf32>
    snippets.yield %0, %2 : tensor<1x16xf32>, tensor<0x16xf32>
  }
  func.return %r, %s : tensor<1x16xf32>, tensor<0x16xf32>
}

// -----

// Nor are they where one needs what the other computes.
// CHECK: lir.kernel @needs
// CHECK-SAME: loops [#lir.loop<0, work 1, inc 1, dim 1>, #lir.loop<1, work 8, inc 8, dim 0>, #lir.loop<2, work 5, inc 1, dim 1>, #lir.loop<3, work 8, inc 8, dim 0>] {
func.func @needing(%x: tensor<1x8xf32>, %y: tensor<5x8xf32>) -> tensor<6x8xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<6x8xf32> attributes {sym_name = "needs"} {
    %1 = snippets.exp %a : tensor<1x8xf32>
    %2 = snippets.multiply %1, %b : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
    %3 = snippets.concat %1, %2 {axis = 0 : i64} : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<6x8xf32>
    snippets.yield %3 : tensor<6x8xf32>
  }
  func.return %0 : tensor<6x8xf32>
}
