// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-to-vector' | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-llvm' --verify-each --check-each -o /dev/null

// Integers of vectors have no sign; the type of the tensor says how they are extended.
// CHECK-LABEL: @subgraph_0.body
// CHECK-NOT: xui
// CHECK: %[[U:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<8xi16>
// CHECK: arith.extui %[[U]] : vector<8xi16> to vector<8xi32>
// CHECK: %[[S:.*]] = llvm.load {{.*}} : !llvm.ptr -> vector<8xi16>
// CHECK: arith.extsi %[[S]] : vector<8xi16> to vector<8xi32>
// CHECK: arith.trunci {{.*}} : vector<8xi32> to vector<8xi16>
func.func @unsigned(%x: tensor<21xui16>, %y: tensor<21xi16>, %z: tensor<21xui32>) -> (tensor<21xui32>, tensor<21xi32>, tensor<21xui16>) {
  %0 = snippets.convert_truncation %x : (tensor<21xui16>) -> tensor<21xui32>
  %1 = snippets.convert_truncation %y : (tensor<21xi16>) -> tensor<21xi32>
  %2 = snippets.convert_truncation %z : (tensor<21xui32>) -> tensor<21xui16>
  func.return %0, %1, %2 : tensor<21xui32>, tensor<21xi32>, tensor<21xui16>
}
