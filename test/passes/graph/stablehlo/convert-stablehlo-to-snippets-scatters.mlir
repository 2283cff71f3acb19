// RUN: snippets-opt %s -p convert-stablehlo-to-snippets | filecheck %s

// A row at a place of the call is set where the places along the dim are that.
// CHECK-LABEL: func.func @row
// CHECK-DAG: %[[I:.*]] = snippets.iota {dim = 0 : i64} : tensor<9xi64>
// CHECK-DAG: %[[P:.*]] = snippets.convert_truncation %i : (tensor<1xi32>) -> tensor<1xi64>
// CHECK: %[[E:.*]] = snippets.equal %[[I]], %[[P]] : (tensor<9xi64>, tensor<1xi64>) -> tensor<9xi1>
// CHECK: %[[M:.*]] = snippets.reshape %[[E]] : (tensor<9xi1>) -> tensor<9x1xi1>
// CHECK: snippets.select %[[M]], %{{.*}}, %x : (tensor<9x1xi1>, tensor<1x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
func.func @row(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<4xf32>) -> tensor<9x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<9x4xf32>
  func.return %0 : tensor<9x4xf32>
}

// Several rows at a known place: the updates, padded, are added there.
// CHECK-LABEL: func.func @part
// CHECK: %[[U:.*]] = snippets.pad %u, %{{.*}} {low = array<i64: 2, 0>, high = array<i64: 4, 0>}
// CHECK: %[[A:.*]] = snippets.add %x, %[[U]]
// CHECK: snippets.select %{{.*}}, %[[A]], %x : (tensor<9x1xi1>, tensor<9x4xf32>, tensor<9x4xf32>)
func.func @part(%x: tensor<9x4xf32>, %u: tensor<3x4xf32>) -> tensor<9x4xf32> {
  %i = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  func.return %0 : tensor<9x4xf32>
}

// Rows that several indices name: for each row of the operand the last index that names it.
// CHECK-LABEL: func.func @rows
// CHECK: %[[E:.*]] = snippets.equal %{{.*}}, %{{.*}} : (tensor<9x1xi64>, tensor<1x3xi64>) -> tensor<9x3xi1>
// CHECK: %[[N:.*]] = snippets.select %[[E]], %{{.*}}, %{{.*}} : (tensor<9x3xi1>, tensor<1x3xi64>, tensor<i64>) -> tensor<9x3xi64>
// CHECK: %[[L:.*]] = snippets.reduce_max %[[N]] {axes = array<i64: 1>
// CHECK: %[[G:.*]] = snippets.gather %u, %{{.*}} {axis = 0 : i64} : (tensor<3x4xf32>, tensor<9xi64>) -> tensor<9x4xf32>
// CHECK: snippets.select %{{.*}}, %[[G]], %x : (tensor<9x1xi1>, tensor<9x4xf32>, tensor<9x4xf32>)
func.func @rows(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<9x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  func.return %0 : tensor<9x4xf32>
}

// Sums of rows that indices may name twice; rows of fewer elements than there are indices.
// CHECK-LABEL: func.func @other_rows
// CHECK: stablehlo.scatter
// CHECK: stablehlo.scatter
func.func @other_rows(%x: tensor<9x4xf32>, %y: tensor<9x2xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>, %v: tensor<3x2xf32>) -> (tensor<9x4xf32>, tensor<9x2xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %1 = "stablehlo.scatter"(%y, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x2xf32>, tensor<3x1xi32>, tensor<3x2xf32>) -> tensor<9x2xf32>
  func.return %0, %1 : tensor<9x4xf32>, tensor<9x2xf32>
}

// A part of several rows at a place of the call, or at one that does not hold it; a region that
// gives the element back; dynamic sizes.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: stablehlo.scatter
func.func @others(%x: tensor<9x4xf32>, %i: tensor<1xi32>, %u: tensor<3x4xf32>, %r: tensor<4xf32>, %d: tensor<?x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<?x4xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %seven = stablehlo.constant dense<7> : tensor<1xi32>
  %1 = "stablehlo.scatter"(%x, %seven, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %2 = "stablehlo.scatter"(%x, %i, %r) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<9x4xf32>
  %3 = "stablehlo.scatter"(%d, %i, %r) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<?x4xf32>
  func.return %0, %1, %2, %3 : tensor<9x4xf32>, tensor<9x4xf32>, tensor<9x4xf32>, tensor<?x4xf32>
}
