// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-to-vector' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-llvm' --split-input-file --verify-each -o /dev/null

// Two stores of every second element are two stores of neighbours: the lanes of both in turn. The
// tail, 4 elements of each, is one vector.
// CHECK-LABEL: func.func private @subgraph_0.body
// CHECK: %[[L:.*]] = vector.shuffle{{.*}}[0, 8, 1, 9, 2, 10, 3, 11]
// CHECK: %[[H:.*]] = vector.shuffle{{.*}}[4, 12, 5, 13, 6, 14, 7, 15]
// CHECK: llvm.store %[[L]]
// CHECK: llvm.store %[[H]]
// CHECK-NOT: llvm.intr.masked.store
// CHECK: func.return
func.func @pairs(%x: tensor<100xi32>, %y: tensor<100xi32>) -> tensor<100x2xi32> {
  %n = snippets.bitwise_not %y : tensor<100xi32>
  %a = snippets.reshape %x : (tensor<100xi32>) -> tensor<100x1xi32>
  %b = snippets.reshape %n : (tensor<100xi32>) -> tensor<100x1xi32>
  %c = snippets.concat %a, %b {axis = 1 : i64} : (tensor<100x1xi32>, tensor<100x1xi32>) -> tensor<100x2xi32>
  func.return %c : tensor<100x2xi32>
}

// -----

// Of three, each lane is stored by itself.
// CHECK-LABEL: func.func private @subgraph_0.body
// CHECK-NOT: [0, 8, 1, 9, 2, 10, 3, 11]
// CHECK: func.return
func.func @three(%x: tensor<96xf32>, %y: tensor<96xf32>) -> tensor<96x3xf32> {
  %a = snippets.reshape %x : (tensor<96xf32>) -> tensor<96x1xf32>
  %b = snippets.reshape %y : (tensor<96xf32>) -> tensor<96x1xf32>
  %c = snippets.concat %a, %b, %a {axis = 1 : i64} : (tensor<96x1xf32>, tensor<96x1xf32>, tensor<96x1xf32>) -> tensor<96x3xf32>
  func.return %c : tensor<96x3xf32>
}
