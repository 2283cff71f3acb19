// RUN: snippets-opt %s -p convert-stablehlo-to-snippets | filecheck %s

// Rows along the first dim; the dim of the one number of each index goes.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %[[I:.*]] = snippets.reshape %i : (tensor<3x1xi32>) -> tensor<3xi32>
// CHECK-NEXT: %[[R:.*]] = snippets.gather %x, %[[I]] {axis = 0 : i64} : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @rows(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>) -> tensor<3x4xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}

// Columns whose dim of size 1 stays, before the rows.
// CHECK-LABEL: func.func @columns_first
// CHECK-NEXT: %[[R:.*]] = snippets.gather %x, %i {axis = 1 : i64} : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<9x3xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.transpose %[[R]] {permutation = array<i64: 1, 0>}
// CHECK-NEXT: snippets.reshape %[[T]] : (tensor<3x9xf32>) -> tensor<3x9x1xf32>
func.func @columns_first(%x: tensor<9x4xf32>, %i: tensor<3xi32>) -> tensor<3x9x1xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 9, 1>}> : (tensor<9x4xf32>, tensor<3xi32>) -> tensor<3x9x1xf32>
  func.return %0 : tensor<3x9x1xf32>
}

// Of parts of rows the operand is a slice; elements at two numbers each are those of one dim.
// CHECK-LABEL: func.func @no_rows
// CHECK: %[[P:.*]] = snippets.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<9x4xf32>) -> tensor<9x2xf32>
// CHECK: snippets.gather %[[P]], %{{.*}} {axis = 0 : i64} : (tensor<9x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
// CHECK: snippets.gather %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<36xf32>, tensor<3xi64>) -> tensor<3xf32>
func.func @no_rows(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %j: tensor<3x2xi32>) -> (tensor<3x2xf32>, tensor<3xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<9x4xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  func.return %0, %1 : tensor<3x2xf32>, tensor<3xf32>
}

// A whole dim has no place; a slice of all dims is the operand.
// CHECK-LABEL: func.func @slices
// CHECK-NEXT: %[[S:.*]] = snippets.dynamic_slice %x, %j {axes = array<i64: 1>} : (tensor<9x4xf32>, tensor<i32>) -> tensor<9x2xf32>
// CHECK-NEXT: func.return %[[S]], %x
func.func @slices(%x: tensor<9x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<9x2xf32>, tensor<9x4xf32>) {
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [9, 2] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x2xf32>
  %1 = stablehlo.dynamic_slice %x, %i, %j, sizes = [9, 4] : (tensor<9x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32>
  func.return %0, %1 : tensor<9x2xf32>, tensor<9x4xf32>
}

// An update is a choice: along two dims the update is read along the inner one first.
// CHECK-LABEL: func.func @updates
// CHECK: %[[G:.*]] = snippets.gather %u, %{{.*}} {axis = 0 : i64} : (tensor<2x4xf32>, tensor<9xi64>) -> tensor<9x4xf32>
// CHECK: %[[C:.*]] = snippets.select %{{.*}}, %[[G]], %x : (tensor<9x1xi1>, tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
// CHECK: %[[G1:.*]] = snippets.gather %v, %{{.*}} {axis = 1 : i64} : (tensor<2x2xf32>, tensor<4xi64>) -> tensor<2x4xf32>
// CHECK: %[[G0:.*]] = snippets.gather %[[G1]], %{{.*}} {axis = 0 : i64} : (tensor<2x4xf32>, tensor<9xi64>) -> tensor<9x4xf32>
// CHECK: %[[B:.*]] = snippets.logical_and %{{.*}}, %{{.*}} : (tensor<9x1xi1>, tensor<1x4xi1>) -> tensor<9x4xi1>
// CHECK-NEXT: %[[D:.*]] = snippets.select %[[B]], %[[G0]], %x
// CHECK-NEXT: func.return %[[C]], %[[D]]
func.func @updates(%x: tensor<9x4xf32>, %u: tensor<2x4xf32>, %v: tensor<2x2xf32>, %i: tensor<i32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<9x4xf32>, tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32>
  %1 = stablehlo.dynamic_update_slice %x, %v, %i, %i : (tensor<9x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32>
  func.return %0, %1 : tensor<9x4xf32>, tensor<9x4xf32>
}

// Bits of numbers of one width, of 32 or 64 bits.
// CHECK-LABEL: func.func @bits
// CHECK-NEXT: snippets.bitcast %x : (tensor<9x4xf32>) -> tensor<9x4xi32>
// CHECK-NEXT: stablehlo.bitcast_convert %h
// CHECK-NEXT: stablehlo.bitcast_convert %x
func.func @bits(%x: tensor<9x4xf32>, %h: tensor<4xf16>) -> (tensor<9x4xi32>, tensor<4xi16>, tensor<9x4x4xi8>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<9x4xf32>) -> tensor<9x4xi32>
  %1 = stablehlo.bitcast_convert %h : (tensor<4xf16>) -> tensor<4xi16>
  %2 = stablehlo.bitcast_convert %x : (tensor<9x4xf32>) -> tensor<9x4x4xi8>
  func.return %0, %1, %2 : tensor<9x4xi32>, tensor<4xi16>, tensor<9x4x4xi8>
}

// Places along two dims number the elements of both; a dim of size 1 that is not left out is one of
// the result's. Dims of unknown size stay.
// CHECK-LABEL: func.func @elements
// CHECK: %[[R:.*]] = snippets.multiply %{{.*}}, %{{.*}} : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
// CHECK: %[[P:.*]] = snippets.add %[[R]], %{{.*}} : tensor<3xi64>
// CHECK: %[[G:.*]] = snippets.gather %{{.*}}, %[[P]] {axis = 0 : i64} : (tensor<36xf32>, tensor<3xi64>) -> tensor<3xf32>
// CHECK: %[[S:.*]] = snippets.gather %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<36xf32>, tensor<3xi64>) -> tensor<3xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.reshape %[[S]] : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK: func.return %[[G]], %[[D]]
func.func @elements(%x: tensor<9x4xf32>, %i: tensor<3x2xi32>) -> (tensor<3xf32>, tensor<3x1xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<9x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  %1 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>, indices_are_sorted = false}> : (tensor<9x4xf32>, tensor<3x2xi32>) -> tensor<3x1xf32>
  func.return %0, %1 : tensor<3xf32>, tensor<3x1xf32>
}

// CHECK-LABEL: func.func @of_any_size
// CHECK-NEXT: "stablehlo.gather"(%x, %i)
func.func @of_any_size(%x: tensor<?x4xf32>, %i: tensor<3x2xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<?x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}

// Slices of three rows begin at each place, and each row of a batch has a place of its own.
// CHECK-LABEL: func.func @slices_at_places
// CHECK: snippets.minimum %{{.*}}, %{{.*}} : (tensor<5x1xi64>, tensor<i64>) -> tensor<5x1xi64>
// CHECK: %[[P:.*]] = snippets.add %{{.*}}, %{{.*}} : (tensor<5x1xi64>, tensor<1x3xi64>) -> tensor<5x3xi64>
// CHECK-NEXT: snippets.gather %x, %[[P]] {axis = 0 : i64} : (tensor<9x4xf32>, tensor<5x3xi64>) -> tensor<5x3x4xf32>
// CHECK: %[[X:.*]] = snippets.reshape %x : (tensor<9x4xf32>) -> tensor<36xf32>
// CHECK: snippets.gather %[[X]], %{{.*}} {axis = 0 : i64} : (tensor<36xf32>, tensor<9xi64>) -> tensor<9xf32>
func.func @slices_at_places(%x: tensor<9x4xf32>, %i: tensor<5x1xi32>, %j: tensor<9x1xi32>) -> (tensor<5x3x4xf32>, tensor<9xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 3, 4>}> : (tensor<9x4xf32>, tensor<5x1xi32>) -> tensor<5x3x4xf32>
  %1 = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<9x4xf32>, tensor<9x1xi32>) -> tensor<9xf32>
  func.return %0, %1 : tensor<5x3x4xf32>, tensor<9xf32>
}
