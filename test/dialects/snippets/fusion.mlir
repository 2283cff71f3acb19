// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// Tuples and stop_fusion in their custom form; both forms parse back to it.

// CHECK-LABEL: func.func @tuples
func.func @tuples(%x: tensor<4xf32>, %y: tensor<2x?xi1>) -> tensor<2x?xi1> {
  // CHECK: %[[T:.*]] = snippets.tuple %x, %y : (tensor<4xf32>, tensor<2x?xi1>) -> tuple<tensor<4xf32>, tensor<2x?xi1>>
  %t = snippets.tuple %x, %y : (tensor<4xf32>, tensor<2x?xi1>) -> tuple<tensor<4xf32>, tensor<2x?xi1>>
  // CHECK-NEXT: %{{.*}} = snippets.tuple_get %[[T]] {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<2x?xi1>>) -> tensor<2x?xi1>
  %g = snippets.tuple_get %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<2x?xi1>>) -> tensor<2x?xi1>
  // CHECK-NEXT: %[[E:.*]] = snippets.tuple : tuple<>
  %e = snippets.tuple : () -> tuple<>
  // CHECK-NEXT: %{{.*}} = snippets.tuple %[[T]], %[[E]] {note = "nested"}
  %n = snippets.tuple %t, %e {note = "nested"} : (tuple<tensor<4xf32>, tensor<2x?xi1>>, tuple<>) -> tuple<tuple<tensor<4xf32>, tensor<2x?xi1>>, tuple<>>
  // CHECK-NEXT: %{{.*}} = snippets.stop_fusion %{{.*}} : tensor<2x?xi1>
  %s = snippets.stop_fusion %g : tensor<2x?xi1>
  // CHECK-NEXT: snippets.stop_fusion %[[T]] : tuple<tensor<4xf32>, tensor<2x?xi1>>
  %u = snippets.stop_fusion %t : tuple<tensor<4xf32>, tensor<2x?xi1>>
  func.return %s : tensor<2x?xi1>
}

// Tuples go through subgraphs.
// CHECK-LABEL: func.func @subgraph
func.func @subgraph(%t: tuple<tensor<f32>>) -> tuple<tensor<f32>> {
  // CHECK: snippets.subgraph (%{{.*}} = %t) : (tuple<tensor<f32>>) -> tuple<tensor<f32>>
  %r = snippets.subgraph (%a = %t) : (tuple<tensor<f32>>) -> tuple<tensor<f32>> {
    snippets.yield %a : tuple<tensor<f32>>
  }
  func.return %r : tuple<tensor<f32>>
}
