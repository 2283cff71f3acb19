// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations' --split-input-file | filecheck %s

// A main part of whole vectors and a tail; the tail carries the finalization offset, both feed the result.
// CHECK-LABEL: @tail
// CHECK: lir.kernel @subgraph_0 "expanded"
// CHECK-SAME: loops [#lir.loop<0, work 13, inc 8, dim 0, parallel>, #lir.loop<1, work 8, inc 8, dim 0, parallel, main of 0>, #lir.loop<2, work 5, inc 5, dim 0, parallel, last of 0>]
// CHECK: lir.loop_begin 1
// CHECK-NEXT: lir.load %a {count = 8 : i64
// CHECK-SAME: loops [1: dim 0 ptr 1 fin 0]
// CHECK: %[[MAIN:[0-9]+]] = lir.store
// CHECK: lir.loop_end 1
// CHECK-NEXT: lir.loop_begin 2
// CHECK-NEXT: lir.load %a {count = 5 : i64
// CHECK-SAME: loops [2: dim 0 ptr 1 fin -13]
// CHECK: %[[TAIL:[0-9]+]] = lir.store {{.*}} {count = 5 : i64
// CHECK: lir.loop_end 2
// CHECK-NEXT: lir.result %[[MAIN]], %[[TAIL]] {index = 0 : i64
func.func @tail(%x: tensor<13xf32>) -> tensor<13xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<13xf32>) -> tensor<13xf32> {
    %0 = snippets.relu %a : tensor<13xf32>
    snippets.yield %0 : tensor<13xf32>
  }
  func.return %r : tensor<13xf32>
}

// -----

// A loop shorter than its increment is all tail.
// CHECK-LABEL: @short
// CHECK: #lir.loop<1, work 5, inc 5, dim 0, parallel, last of 0>]
// CHECK-COUNT-1: lir.loop_begin
// CHECK: lir.load %a {count = 5 : i64
// CHECK-NOT: lir.loop_begin
func.func @short(%x: tensor<5xf32>) -> tensor<5xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<5xf32>) -> tensor<5xf32> {
    %0 = snippets.relu %a : tensor<5xf32>
    snippets.yield %0 : tensor<5xf32>
  }
  func.return %r : tensor<5xf32>
}

// -----

// Does not fire: no tail, and an empty loop has none either.
// CHECK-LABEL: @whole
// CHECK: lir.kernel @subgraph_0 "expanded"
// CHECK-SAME: loops [#lir.loop<0, work 16, inc 8, dim 0, parallel>] {
// CHECK: lir.kernel @subgraph_1 "expanded"
// CHECK-SAME: loops [#lir.loop<0, work 0, inc 8, dim 0>] {
func.func @whole(%x: tensor<16xf32>, %y: tensor<0xf32>) -> (tensor<16xf32>, tensor<0xf32>) {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.relu %a : tensor<16xf32>
    snippets.yield %0 : tensor<16xf32>
  }
  %s = snippets.subgraph (%b = %y) : (tensor<0xf32>) -> tensor<0xf32> {
    %1 = snippets.relu %b : tensor<0xf32>
    snippets.yield %1 : tensor<0xf32>
  }
  func.return %r, %s : tensor<16xf32>, tensor<0xf32>
}
