// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// Constraint C1. Operands are ranked tensors.

func.func @c1_operand_is_no_tensor(%x: f32) {
  // expected-error @+1 {{tensor}}
  %0 = "snippets.reduce_sum"(%x) <{axes = array<i64>}> : (f32) -> tensor<f32>
  func.return
}

// -----

// Constraint C2. Parameters have the element type of the operand.

func.func @c2_parameter_of_another_type(%x: tensor<4xf32>, %s: tensor<4xf64>) {
  // expected-error @+1 {{C2: snippets.layer_norm expects operands of one element type, found f32, f64; insert a snippets.convert_truncation}}
  %0 = snippets.layer_norm %x, %s {axis = 0 : i64, epsilon = 1.0e-5 : f32} : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  func.return
}

// -----

// Constraint C3. The op is defined for the element type.

func.func @c3_softmax_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{C3: snippets.softmax expects float elements, found i32}}
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<4xi32>
  func.return
}

// -----

func.func @c3_sum_of_booleans(%x: tensor<4xi1>) {
  // expected-error @+1 {{C3: snippets.reduce_sum expects float or integer elements, found i1}}
  %0 = snippets.reduce_sum %x {axes = array<i64: 0>} : (tensor<4xi1>) -> tensor<i1>
  func.return
}

// -----

// Constraint C5. The result has the shape that follows from the operands and attributes.

func.func @c5_reduced_dim_stays(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C5: snippets.reduce_max expects a result of shape 4, found 4x1}}
  %0 = snippets.reduce_max %x {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  func.return
}

// -----

func.func @c5_kept_dim_is_gone(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{C5: snippets.reduce_max expects a result of shape 1x?, found ?}}
  %0 = snippets.reduce_max %x {axes = array<i64: 0>, keep_dims} : (tensor<4x?xf32>) -> tensor<?xf32>
  func.return
}

// -----

func.func @c5_transpose(%x: tensor<4x8x?xf32>) {
  // expected-error @+1 {{C5: snippets.transpose expects a result of shape ?x4x8, found ?x8x4}}
  %0 = snippets.transpose %x {permutation = array<i64: 2, 0, 1>} : (tensor<4x8x?xf32>) -> tensor<?x8x4xf32>
  func.return
}

// -----

func.func @c5_squeeze(%x: tensor<1x8xf32>) {
  // expected-error @+1 {{C5: snippets.squeeze expects a result of shape 8, found 1x8}}
  %0 = snippets.squeeze %x {axes = array<i64: 0>} : tensor<1x8xf32>
  func.return
}

// -----

func.func @c5_unsqueeze(%x: tensor<8xf32>) {
  // expected-error @+1 {{C5: snippets.unsqueeze expects a result of shape 8x1, found 1x8}}
  %0 = snippets.unsqueeze %x {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<1x8xf32>
  func.return
}

// -----

func.func @c5_softmax(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C5: snippets.softmax expects a result of shape 4x8, found 4x1}}
  %0 = snippets.softmax %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  func.return
}

// -----

// Constraint C6. The result has the element type of the operand.

func.func @c6_mean_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{C6: snippets.reduce_mean expects a result of i32, found f32}}
  %0 = snippets.reduce_mean %x {axes = array<i64: 0>} : (tensor<4xi32>) -> tensor<f32>
  func.return
}

// -----

// Constraint C7. Axes are dims, each once, rising; other attributes are as the docstrings say.

func.func @c7_axis_beyond_the_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.reduce_sum expects axes from 0 to 1 of a tensor of rank 2, found 2}}
  %0 = snippets.reduce_sum %x {axes = array<i64: 2>} : tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_negative_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.softmax expects axes from 0 to 1 of a tensor of rank 2, found -1}}
  %0 = snippets.softmax %x {axis = -1 : i64} : tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_axis_of_rank_0(%x: tensor<f32>) {
  // expected-error @+1 {{C7: snippets.softmax expects no axes of a tensor of rank 0, found 0}}
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<f32>
  func.return
}

// -----

func.func @c7_axes_twice(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.reduce_sum expects rising axes, each once, found 1, 1}}
  %0 = snippets.reduce_sum %x {axes = array<i64: 1, 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c7_axes_falling(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.mvn expects rising axes, each once, found 1, 0}}
  %0 = snippets.mvn %x {axes = array<i64: 1, 0>, epsilon = 0.0 : f32} : tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_no_permutation(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.transpose expects a permutation of the 2 dims of its operand, found 0, 0}}
  %0 = snippets.transpose %x {permutation = array<i64: 0, 0>} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @c7_squeeze_of_a_large_dim(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{C7: snippets.squeeze expects axes of size 1, found 4x? with axes 0, 1}}
  %0 = snippets.squeeze %x {axes = array<i64: 0, 1>} : (tensor<4x?xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @c7_unsqueeze_beyond_the_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.unsqueeze expects axes from 0 to 1 of a tensor of rank 2, found 2}}
  %0 = snippets.unsqueeze %x {axes = array<i64: 2>} : (tensor<4xf32>) -> tensor<4x1xf32>
  func.return
}

// -----

func.func @c7_groups_do_not_divide(%x: tensor<1x6x2xf32>, %c: tensor<6xf32>) {
  // expected-error @+1 {{C7: snippets.group_norm expects num_groups to divide the 6 channels, found 4}}
  %0 = snippets.group_norm %x, %c, %c {num_groups = 4 : i64, epsilon = 0.0 : f32} : (tensor<1x6x2xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x2xf32>
  func.return
}

// -----

func.func @c7_no_groups(%x: tensor<1x?x2xf32>, %c: tensor<?xf32>) {
  // expected-error @+1 {{C7: snippets.group_norm expects num_groups to divide the ? channels, found 0}}
  %0 = snippets.group_norm %x, %c, %c {num_groups = 0 : i64, epsilon = 0.0 : f32} : (tensor<1x?x2xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<1x?x2xf32>
  func.return
}

// -----

func.func @c7_epsilon_mode(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.mvn expects eps_mode "inside_sqrt" or "outside_sqrt", found "beside"}}
  %0 = snippets.mvn %x {axes = array<i64: 0>, epsilon = 0.0 : f32, eps_mode = "beside"} : tensor<4xf32>
  func.return
}

// -----

// Constraint C8. The parameters of a normalization fit its operand.

func.func @c8_scale_does_not_broadcast(%x: tensor<4x8xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{C8: snippets.layer_norm expects parameters that broadcast to 4x8, found 4}}
  %0 = snippets.layer_norm %x, %s {axis = 1 : i64, epsilon = 0.0 : f32} : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @c8_scale_is_larger(%x: tensor<1x8xf32>, %s: tensor<4x8xf32>) {
  // expected-error @+1 {{C8: snippets.rms_norm expects parameters that broadcast to 1x8, found 4x8}}
  %0 = snippets.rms_norm %x, %s {axis = 1 : i64, epsilon = 0.0 : f32} : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<1x8xf32>
  func.return
}

// -----

func.func @c8_too_many_parameters(%x: tensor<8xf32>) {
  // expected-error @+1 {{C8: snippets.rms_norm expects 0 to 1 parameters after its operand, found 2}}
  %0 = snippets.rms_norm %x, %x, %x {axis = 0 : i64, epsilon = 0.0 : f32} : tensor<8xf32>
  func.return
}

// -----

func.func @c8_too_few_parameters(%x: tensor<2x8xf32>, %c: tensor<8xf32>) {
  // expected-error @+1 {{C8: snippets.instance_norm expects 2 parameters after its operand, found 1}}
  %0 = snippets.instance_norm %x, %c {epsilon = 0.0 : f32} : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @c8_parameters_are_not_per_channel(%x: tensor<2x8x3xf32>, %c: tensor<3xf32>) {
  // expected-error @+1 {{C8: snippets.batch_norm expects parameters of shape 8, found 3}}
  %0 = snippets.batch_norm %x, %c, %c, %c, %c {epsilon = 0.0 : f32} : (tensor<2x8x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x8x3xf32>
  func.return
}

// -----

func.func @c8_no_channels(%x: tensor<8xf32>) {
  // expected-error @+1 {{C8: snippets.instance_norm expects an operand of [N, C, ...], found 8}}
  %0 = snippets.instance_norm %x, %x, %x {epsilon = 0.0 : f32} : tensor<8xf32>
  func.return
}

// -----

// Places of extremes are integers, along a dim with elements.

func.func @c5_place_of_a_kept_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C5: snippets.arg_max expects a result of shape 4, found 4x1}}
  %0 = snippets.arg_max %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x1xi64>
  func.return
}

// -----

func.func @c6_place_of_floats(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C6: snippets.arg_max expects a result of integers, found f32}}
  %0 = snippets.arg_max %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c7_place_along_no_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.arg_min expects axes from 0 to 1 of a tensor of rank 2, found 2}}
  %0 = snippets.arg_min %x {axis = 2 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
  func.return
}

// -----

func.func @c7_place_among_no_elements(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{C7: snippets.arg_max expects an axis with elements, found axis 1 of 4x0}}
  %0 = snippets.arg_max %x {axis = 1 : i64} : (tensor<4x0xf32>) -> tensor<4xi64>
  func.return
}

// -----

// An iota is of numbers, and its type says how many.

func.func @c1_iota_of_unknown_size() {
  // expected-error @+1 {{C1: snippets.iota expects a static shape, found 4x?}}
  %0 = snippets.iota {dim = 1 : i64} : tensor<4x?xi32>
  func.return
}

// -----

func.func @c3_iota_of_booleans() {
  // expected-error @+1 {{C3: snippets.iota expects float or integer elements, found i1}}
  %0 = snippets.iota {dim = 0 : i64} : tensor<4xi1>
  func.return
}

// -----

func.func @c7_iota_along_no_dim() {
  // expected-error @+1 {{C7: snippets.iota expects no axes of a tensor of rank 0, found 0}}
  %0 = snippets.iota {dim = 0 : i64} : tensor<i32>
  func.return
}

// -----

func.func @c3_cumulative_sum_of_booleans(%x: tensor<4xi1>) {
  // expected-error @+1 {{C3: snippets.cum_sum expects float or integer elements, found i1}}
  %0 = snippets.cum_sum %x {axis = 0 : i64} : tensor<4xi1>
  func.return
}

// -----

func.func @c5_cumulative_sum_of_another_shape(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C5: snippets.cum_sum expects a result of shape 4x8, found 4}}
  %0 = snippets.cum_sum %x {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c3_cumulative_maximum_of_booleans(%x: tensor<4xi1>) {
  // expected-error @+1 {{C3: snippets.cum_max expects float or integer elements, found i1}}
  %0 = snippets.cum_max %x {axis = 0 : i64} : tensor<4xi1>
  func.return
}

// -----

func.func @c7_cumulative_product_along_no_dim(%x: tensor<8xf32>) {
  // expected-error @+1 {{C7: snippets.cum_prod expects axes from 0 to 0 of a tensor of rank 1, found 1}}
  %0 = snippets.cum_prod %x {axis = 1 : i64} : tensor<8xf32>
  func.return
}

// -----

func.func @c7_cumulative_sum_along_no_dim(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.cum_sum expects axes from 0 to 1 of a tensor of rank 2, found 2}}
  %0 = snippets.cum_sum %x {axis = 2 : i64} : tensor<4x8xf32>
  func.return
}
