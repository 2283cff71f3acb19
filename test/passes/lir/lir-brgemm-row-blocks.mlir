// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-decompose-softmax,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks' --split-input-file | filecheck %s

// Two products with a softmax between them: 2048 columns of 4 bytes leave 64 rows for a block, and
// equal blocks have 60. Threads share them. The
// softmax walks its rows by itself, and each product has rows of its own.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<0, work 4, inc 1, dim 3, parallel>, #lir.loop<1, work 300, inc 60, dim 2, parallel>
// CHECK-SAME: #lir.loop<[[QK:[0-9]+]], work 60, inc 1, dim 2, inner of 1>, #lir.loop<[[ROWS:[0-9]+]], work 60, inc 1, dim 2, inner of 1>, #lir.loop<[[PV:[0-9]+]], work 60, inc 1, dim 2, inner of 1>]
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, [[QK]], 2, 3>
// CHECK: lir.accumulate {{.*}} {kind = "max", lir.loops = array<i64: 0, 1, [[ROWS]], 4>
// CHECK: lir.horizon {{.*}} {kind = "max", lir.loops = array<i64: 0, 1, [[ROWS]]>
// CHECK: snippets.divide {{.*}} {lir.loops = array<i64: 0, 1, [[ROWS]], 6>
// CHECK: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, [[PV]], 7
func.func @attention(%q: tensor<4x300x64xf32>, %k: tensor<4x64x2048xf32>, %v: tensor<4x2048x64xf32>) -> tensor<4x300x64xf32> {
  %r = snippets.subgraph (%a = %q, %b = %k, %c = %v) : (tensor<4x300x64xf32>, tensor<4x64x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x300x64xf32> {
    %0 = snippets.matmul %a, %b : (tensor<4x300x64xf32>, tensor<4x64x2048xf32>) -> tensor<4x300x2048xf32>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x300x2048xf32>
    %2 = snippets.matmul %1, %c : (tensor<4x300x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x300x64xf32>
    snippets.yield %2 : tensor<4x300x64xf32>
  }
  func.return %r : tensor<4x300x64xf32>
}

// -----

// Nothing to do: the product is alone in its rows, and what follows it is in its tile.
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: loops [#lir.loop<0, work 300, inc 1, dim 2, parallel>, #lir.loop<1, work 96, inc 16, dim 0>, #lir.loop<2, work 64, inc 1, dim 1>]
func.func @alone(%x: tensor<300x64xf32>, %y: tensor<64x96xf32>) -> tensor<300x96xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<300x64xf32>, tensor<64x96xf32>) -> tensor<300x96xf32> {
    %0 = snippets.matmul %a, %b : (tensor<300x64xf32>, tensor<64x96xf32>) -> tensor<300x96xf32>
    %1 = snippets.relu %0 : tensor<300x96xf32>
    snippets.yield %1 : tensor<300x96xf32>
  }
  func.return %r : tensor<300x96xf32>
}
