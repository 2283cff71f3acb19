// RUN: snippets-opt --allow-unregistered-dialect %s -p snippets-fuse-ops | filecheck %s

// Names, and the order of parameters.

// Parameters in the order in which the ops, each after what it reads, read them; each once.
// CHECK-LABEL: func.func @parameters(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %b, %{{.*}} = %c, %{{.*}} = %a)
func.func @parameters(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %b, %c : tensor<4xf32>
  %1 = snippets.multiply %a, %0 : tensor<4xf32>
  %2 = snippets.subtract %1, %b : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Equal structures have equal names, values of constants count; others get a number.
// CHECK-LABEL: func.func @clash(
// CHECK: sym_name = "fused_clamp"}
// CHECK: sym_name = "fused_clamp"}
// CHECK: sym_name = "fused_clamp_1"}
// CHECK: sym_name = "fused_clamp_2"}
func.func @clash(%x: tensor<4xf32>, %y: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %0 = snippets.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<4xf32>
  %1 = snippets.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<4xf32>
  %2 = snippets.clamp %x {min = 0.0 : f32, max = 7.0 : f32} : tensor<4xf32>
  %3 = snippets.clamp %y {min = 0.0 : f32, max = 7.0 : f32} : tensor<8xf32>
  func.return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}

// Names of functions are taken.
// CHECK-LABEL: func.func @fused_abs(
// CHECK: sym_name = "fused_abs_1"}
func.func @fused_abs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.abs %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// At most 80 characters, a number included; an ONNX operator in snake case.
// CHECK-LABEL: func.func @long(
// CHECK: sym_name = "fused_squared_difference_squared_difference_squared_difference_squared_differenc"}
// CHECK: sym_name = "fused_squared_difference_squared_difference_squared_difference_squared_differe_1"}
// CHECK: sym_name = "fused_global_average_pool"}
func.func @long(%x: tensor<4xf32>) -> tensor<1xf32> {
  %0 = snippets.squared_difference %x, %x : tensor<4xf32>
  %1 = snippets.squared_difference %0, %x : tensor<4xf32>
  %2 = snippets.squared_difference %1, %x : tensor<4xf32>
  %3 = snippets.squared_difference %2, %x : tensor<4xf32>
  %4 = snippets.stop_fusion %3 : tensor<4xf32>
  %5 = snippets.squared_difference %4, %x : tensor<4xf32>
  %6 = snippets.squared_difference %5, %x : tensor<4xf32>
  %7 = snippets.squared_difference %6, %x : tensor<4xf32>
  %8 = snippets.squared_difference %7, %x : tensor<4xf32>
  %9 = snippets.abs %8 : tensor<4xf32>
  %10 = onnx.node "GlobalAveragePool"(%9) {domain = "", version = 1 : i64} : (tensor<4xf32>) -> tensor<1xf32>
  func.return %10 : tensor<1xf32>
}
