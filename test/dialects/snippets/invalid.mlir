// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// Constraint C1. Operands and results are ranked tensors; constants have a static shape.

func.func @c1_operand_is_no_tensor(%x: f32) {
  // expected-error @+1 {{tensor}}
  %0 = "snippets.abs"(%x) : (f32) -> tensor<f32>
  func.return
}

// -----

func.func @c1_result_is_no_tensor(%x: tensor<f32>) {
  // expected-error @+1 {{tensor}}
  %0 = "snippets.abs"(%x) : (tensor<f32>) -> f32
  func.return
}

// -----

func.func @c1_dynamic_constant() {
  // expected-error @+1 {{C1: snippets.constant expects a static shape, found tensor<?xf32>}}
  %0 = snippets.constant #snippets.resource<"m.onnx", "w", "00"> : tensor<?xf32>
  func.return
}

// -----

func.func @c6_constant_of_another_type_than_it_is_converted_to() {
  // expected-error @+1 {{C6: snippets.constant expects elements of its value's type f32, found tensor<4xf64>}}
  %0 = snippets.constant #snippets.resource<"m.onnx", "w", "00", f32> : tensor<4xf64>
  func.return
}

// -----

func.func @c6_constant_of_other_columns() {
  // expected-error @+1 {{C6: snippets.constant expects the columns 2 to 6 of its value, found tensor<3x5xf32>}}
  %0 = snippets.constant #snippets.resource<"m.onnx", "w", "00", columns 2 to 6> : tensor<3x5xf32>
  func.return
}

// -----

func.func @c6_columns_of_nothing() {
  // expected-error @+1 {{C6: snippets.resource expects columns from one to a later one, found [6, 6]}}
  %0 = snippets.constant #snippets.resource<"m.onnx", "w", "00", columns 6 to 6> : tensor<3x0xf32>
  func.return
}

// -----

// Constraint C2. The operands that compute together have one element type.

func.func @c2_two_element_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{C2: snippets.add expects operands of one element type, found f32, f64; insert a snippets.convert_truncation}}
  %0 = snippets.add %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c2_branches(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{C2: snippets.select expects operands of one element type, found f32, i32}}
  %0 = snippets.select %c, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  func.return
}

// -----

// Constraint C3. The op is defined for the element type.

func.func @c3_exp_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{C3: snippets.exp expects float elements, found i32}}
  %0 = snippets.exp %x : tensor<4xi32>
  func.return
}

// -----

func.func @c3_add_of_booleans(%x: tensor<4xi1>) {
  // expected-error @+1 {{C3: snippets.add expects float or integer elements, found i1}}
  %0 = snippets.add %x, %x : tensor<4xi1>
  func.return
}

// -----

func.func @c3_logic_of_floats(%x: tensor<4xf32>) {
  // expected-error @+1 {{C3: snippets.logical_and expects bool elements, found f32}}
  %0 = snippets.logical_and %x, %x : tensor<4xf32>
  func.return
}

// -----

func.func @c3_fma_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{C3: snippets.fma expects float elements, found i32}}
  %0 = snippets.fma %x, %x, %x : tensor<4xi32>
  func.return
}

// -----

func.func @c3_maxnum_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{C3: snippets.reduce_maxnum expects float elements, found i32}}
  %0 = snippets.reduce_maxnum %x {axes = array<i64: 0>} : (tensor<4xi32>) -> tensor<i32>
  func.return
}

// -----

func.func @c3_running_maximum_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{C3: snippets.running_maximum expects float elements, found i32}}
  %0 = snippets.running_maximum %x, %x : tensor<4xi32>
  func.return
}

// -----

func.func @c3_condition(%c: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @+1 {{C3: snippets.select expects a condition of i1, found i8}}
  %0 = snippets.select %c, %x, %x : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c3_broadcast_of_index(%x: tensor<4xindex>) {
  // expected-error @+1 {{C3: snippets.broadcast expects float, integer or bool elements, found index}}
  %0 = snippets.broadcast %x : (tensor<4xindex>) -> tensor<2x4xindex>
  func.return
}

// -----

// Constraint C4. The shapes broadcast together.

func.func @c4_shapes(%x: tensor<4x8xf32>, %y: tensor<4x9xf32>) {
  // expected-error @+1 {{C4: snippets.multiply operands do not broadcast: 4x8, 4x9}}
  %0 = snippets.multiply %x, %y : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @c4_empty(%x: tensor<0xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{C4: snippets.multiply operands do not broadcast: 0, 2}}
  %0 = snippets.multiply %x, %y : (tensor<0xf32>, tensor<2xf32>) -> tensor<0xf32>
  func.return
}

// -----

// Constraint C5. The result has the broadcast shape.

func.func @c5_unary(%x: tensor<4xf32>) {
  // expected-error @+1 {{C5: snippets.exp expects a result of shape 4, found 5}}
  %0 = snippets.exp %x : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @c5_binary(%x: tensor<4x1xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{C5: snippets.add expects a result of shape 4x3, found 4x1}}
  %0 = snippets.add %x, %y : (tensor<4x1xf32>, tensor<3xf32>) -> tensor<4x1xf32>
  func.return
}

// -----

func.func @c5_broadcast(%x: tensor<4xf32>) {
  // expected-error @+1 {{C5: snippets.broadcast expects a result that 4 broadcasts to, found 4x2}}
  %0 = snippets.broadcast %x : (tensor<4xf32>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @c5_broadcast_does_not_shrink(%x: tensor<4xf32>) {
  // expected-error @+1 {{C5: snippets.broadcast expects a result that 4 broadcasts to, found 1}}
  %0 = snippets.broadcast %x : (tensor<4xf32>) -> tensor<1xf32>
  func.return
}

// -----

func.func @c5_reshape(%x: tensor<4xf32>) {
  // expected-error @+1 {{C5: snippets.reshape expects a result of 4 elements, found 3}}
  %0 = snippets.reshape %x : (tensor<4xf32>) -> tensor<3xf32>
  func.return
}

// -----

// Constraint C6. The result has the element type that the op produces.

func.func @c6_unary(%x: tensor<4xf32>) {
  // expected-error @+1 {{C6: snippets.exp expects a result of f32, found f64}}
  %0 = snippets.exp %x : (tensor<4xf32>) -> tensor<4xf64>
  func.return
}

// -----

func.func @c6_comparison(%x: tensor<4xf32>) {
  // expected-error @+1 {{C6: snippets.less expects a result of i1, found f32}}
  %0 = snippets.less %x, %x : tensor<4xf32>
  func.return
}

// -----

func.func @c6_conversion(%x: tensor<4xf32>) {
  // expected-error @+1 {{C6: snippets.convert_truncation expects a result of a float or integer type, found index}}
  %0 = snippets.convert_truncation %x : (tensor<4xf32>) -> tensor<4xindex>
  func.return
}

// -----

func.func @c6_bitcast(%x: tensor<4xf32>) {
  // expected-error @+1 {{C6: snippets.bitcast expects a result as wide as f32, found f64}}
  %0 = snippets.bitcast %x : (tensor<4xf32>) -> tensor<4xf64>
  func.return
}

// -----

func.func @c6_constant() {
  // expected-error @+1 {{C6: snippets.constant expects a result of its value's type tensor<2xf32>, found tensor<3xf32>}}
  %0 = "snippets.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  func.return
}

// -----

func.func @c6_scalar() {
  // expected-error @+1 {{C6: snippets.scalar expects a result of tensor<f32>, found tensor<f64>}}
  %0 = "snippets.scalar"() <{value = 1.0 : f32}> : () -> tensor<f64>
  func.return
}

// -----

func.func @c6_size() {
  // expected-error @+1 {{C6: snippets.scalar expects a result of tensor<f32>, found tensor<i32>}}
  %0 = "snippets.scalar"() <{value = #snippets.size<?0 : f32>}> : () -> tensor<i32>
  func.return
}

// -----

func.func @size_without_a_symbol() {
  // expected-error @+1 {{expected a size with a symbol, such as ?0, found 24}}
  %0 = snippets.scalar #snippets.size<24 : f32>
  func.return
}

// -----

func.func @scalar_of_text() {
  // expected-error @+2 {{expected a number, such as `1.0 : f32`, or a size, such as `#snippets.size<?0 : f32>`}}
  %0 = snippets.scalar "one"
  func.return
}

// -----

// Constraint C7. The attributes have the values that the op allows.

func.func @c7_clamp_bounds_of_the_other_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.clamp expects min to be float like its operand, found 0 : i32}}
  %0 = snippets.clamp %x {min = 0 : i32, max = 6.0 : f32} : tensor<4xf32>
  func.return
}

// -----

func.func @c7_clamp_to_nan(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.clamp expects max to be a number, found NaN}}
  %0 = snippets.clamp %x {min = 0.0 : f32, max = 0x7fc00000 : f32} : tensor<4xf32>
  func.return
}

// -----

func.func @c7_power_static_of_the_other_kind(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.power_static expects exponent to be float like its operand, found 2 : i32}}
  %0 = snippets.power_static %x {exponent = 2 : i32} : tensor<4xf32>
  func.return
}

// -----

func.func @c7_power_static_of_a_negative_exponent(%x: tensor<4xi32>) {
  // expected-error @+1 {{C7: snippets.power_static expects an exponent of 0 to 127 for integers, found -1}}
  %0 = snippets.power_static %x {exponent = -1 : i32} : tensor<4xi32>
  func.return
}

// -----

func.func @c7_gelu(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.gelu expects approximation "erf" or "tanh", found "sigmoid"}}
  %0 = snippets.gelu %x {approximation = "sigmoid"} : tensor<4xf32>
  func.return
}

// -----

func.func @c7_round(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.round expects mode "half_to_even" or "half_away", found "up"}}
  %0 = snippets.round %x {mode = "up"} : tensor<4xf32>
  func.return
}

// -----

func.func @c7_lookup(%n: tensor<4xi32>) {
  // expected-error @+1 {{C7: snippets.lookup expects a table of rank 1, found 1x2}}
  %0 = snippets.lookup %n {table = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : (tensor<4xi32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @c7_lookup_wraps(%n: tensor<4xi32>) {
  // expected-error @+1 {{C7: snippets.lookup expects the size of a table that wraps to be a power of two, found 3}}
  %0 = snippets.lookup %n {table = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>, wraps} : (tensor<4xi32>) -> tensor<4xf32>
  func.return
}

// -----

// Constraint C8. The block arguments of a subgraph have the types of its operands.

func.func @c8_arguments(%x: tensor<4xf32>) {
  // expected-error @+1 {{C8: snippets.subgraph expects block arguments ['tensor<4xf32>'], found ['tensor<5xf32>']}}
  "snippets.subgraph"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    "snippets.yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  func.return
}

// -----

// Constraint C9. A subgraph yields its results.

func.func @c9_yield(%x: tensor<4xf32>) {
  // expected-error @+1 {{C9: snippets.subgraph expects to yield ['tensor<5xf32>'], found ['tensor<4xf32>']}}
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<5xf32> {
    snippets.yield %a : tensor<4xf32>
  }
  func.return
}

// -----

func.func @subgraph_is_isolated(%x: tensor<4xf32>) {
  // expected-error @+1 {{Operation using value defined out of its IsolatedFromAbove parent}}
  %0 = snippets.subgraph () : () -> tensor<4xf32> {
    snippets.yield %x : tensor<4xf32>
  }
  func.return
}

// -----

func.func @yield_outside(%x: tensor<4xf32>) {
  // expected-error @+1 {{'snippets.yield' expects parent op 'snippets.subgraph'}}
  snippets.yield %x : tensor<4xf32>
}

// -----

func.func @panels() {
  // expected-error @+1 {{C6: snippets.constant expects panels of tensor<2x4x16xf32>, found tensor<2x4x15xf32>}}
  %0 = snippets.constant #snippets.panels<dense<1.0> : tensor<4x20xf32>, width 16> : tensor<2x4x15xf32>
  func.return
}

// -----

func.func @batch() {
  // expected-error @+1 {{C6: snippets.constant expects panels of a matrix, found tensor<2x4x20xf32> in panels of 16 columns}}
  %0 = snippets.constant #snippets.panels<dense<1.0> : tensor<2x4x20xf32>, width 16> : tensor<2x4x16xf32>
  func.return
}

// -----

func.func @c7_slice_without_a_step(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects 2 starts and steps, one for each dim of its operand, found 2 and 1}}
  %0 = snippets.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_slice_with_a_step_of_0(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects no step of 0, found it in dim 1}}
  %0 = snippets.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_slice_outside(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects places below 8 in dim 1, found 2 to 8}}
  %0 = snippets.slice %x {starts = array<i64: 0, 2>, steps = array<i64: 1, 2>} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @c7_slice_before(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects places below 4 in dim 0, found 2 to -1}}
  %0 = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: -1, 1>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_slice_of_another_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects a result of rank 1, found 1x8}}
  %0 = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>, drops = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  func.return
}

// -----

func.func @c7_slice_drops(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects rising drops below 2, found [1, 0]}}
  %0 = snippets.slice %x {starts = array<i64: 2, 0>, steps = array<i64: 1, 1>, drops = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<f32>
  func.return
}

// -----

func.func @c7_slice_of_unknown_size(%x: tensor<?xf32>) {
  // expected-error @+1 {{C7: snippets.slice expects a result of known sizes, found ?}}
  %0 = snippets.slice %x {starts = array<i64: 2>, steps = array<i64: 1>} : tensor<?xf32>
  func.return
}

// -----

func.func @c7_concat_axis(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.concat expects axes from 0 to 1 of a tensor of rank 2, found 2}}
  %0 = snippets.concat %x, %x {axis = 2 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @c9_concat_of_other_rows(%x: tensor<4x8xf32>, %y: tensor<5x8xf32>) {
  // expected-error @+1 {{C9: snippets.concat expects operands of equal sizes in all dims but 1, found 4x8, 5x8}}
  %0 = snippets.concat %x, %y {axis = 1 : i64} : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @c9_concat_of_another_rank(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{C9: snippets.concat expects operands of equal sizes in all dims but 0, found 4x8, 8}}
  %0 = snippets.concat %x, %y {axis = 0 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<5x8xf32>
  func.return
}

// -----

func.func @c5_concat(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C5: snippets.concat expects a result of shape 8x8, found 4x16}}
  %0 = snippets.concat %x, %x {axis = 0 : i64} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  func.return
}

// -----

func.func @c2_concat(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{C2: snippets.concat expects operands of one element type, found f32, f64}}
  %0 = snippets.concat %x, %y {axis = 0 : i64} : (tensor<4xf32>, tensor<4xf64>) -> tensor<8xf32>
  func.return
}

// -----

func.func @c4_concat_of_nothing() {
  // expected-error @+1 {{C4: snippets.concat expects an operand}}
  %0 = snippets.concat {axis = 0 : i64} : tensor<0xf32>
  func.return
}

// -----

func.func @c7_pad_amounts(%x: tensor<4x8xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{C7: snippets.pad expects 2 amounts, one for each dim of its operand, found 1 and 2}}
  %0 = snippets.pad %x, %v {low = array<i64: 1>, high = array<i64: 0, 0>} : (tensor<4x8xf32>, tensor<f32>) -> tensor<5x8xf32>
  func.return
}

// -----

func.func @c7_pad_cuts(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{C7: snippets.pad expects amounts of 0 or more, found [-1] and [2]}}
  %0 = snippets.pad %x, %v {low = array<i64: -1>, high = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @c8_pad_value(%x: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{C8: snippets.pad expects a value of rank 0, found 1}}
  %0 = snippets.pad %x, %v {low = array<i64: 1>, high = array<i64: 2>} : (tensor<4xf32>, tensor<1xf32>) -> tensor<7xf32>
  func.return
}

// -----

func.func @c7_gather_axis(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{C7: snippets.gather expects axes from 0 to 1 of a tensor of rank 2, found 2}}
  %0 = snippets.gather %x, %i {axis = 2 : i64} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @c7_gather_from_nothing(%x: tensor<0x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{C7: snippets.gather expects an axis with elements, found 0x8 with axis 0}}
  %0 = snippets.gather %x, %i {axis = 0 : i64} : (tensor<0x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @c3_places_of_floats(%x: tensor<4x8xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{C3: snippets.gather expects places that are integers, found f32}}
  %0 = snippets.gather %x, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @c5_gather(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{C5: snippets.gather expects a result of shape 2x8, found 4x2}}
  %0 = snippets.gather %x, %i {axis = 0 : i64} : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @c7_starts(%x: tensor<4x8xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{C7: snippets.dynamic_slice expects a start of rank 0 for each of its 2 axes, found scalar}}
  %0 = snippets.dynamic_slice %x, %s {axes = array<i64: 0, 1>} : (tensor<4x8xf32>, tensor<i64>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @c7_start_of_rank_1(%x: tensor<4x8xf32>, %s: tensor<1xi64>) {
  // expected-error @+1 {{C7: snippets.dynamic_slice expects a start of rank 0 for each of its 1 axes, found 1}}
  %0 = snippets.dynamic_slice %x, %s {axes = array<i64: 1>} : (tensor<4x8xf32>, tensor<1xi64>) -> tensor<4x2xf32>
  func.return
}

// -----

func.func @c7_larger_than_the_operand(%x: tensor<4x8xf32>, %s: tensor<i64>) {
  // expected-error @+1 {{C7: snippets.dynamic_slice expects a result within 4x8, found 4x9}}
  %0 = snippets.dynamic_slice %x, %s {axes = array<i64: 1>} : (tensor<4x8xf32>, tensor<i64>) -> tensor<4x9xf32>
  func.return
}

// -----

func.func @c7_check_axis(%x: tensor<4x8xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{C7: snippets.check_indices expects axes from 0 to 1 of a tensor of rank 2, found -1}}
  %0 = snippets.check_indices %i, %x {axis = -1 : i64} : (tensor<2xi64>, tensor<4x8xf32>) -> tensor<2xi64>
  func.return
}

// -----

func.func @c7_bounds(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{C7: snippets.slice_to expects 2 stops, one for each dim of its operand, found 1}}
  %0 = snippets.slice_to %x {starts = array<i64: 0, 0>, stops = array<i64: 4>, steps = array<i64: 1, 1>} : tensor<4x8xf32>
  func.return
}

// -----

func.func @c7_bounds_with_a_step_of_0(%x: tensor<4xf32>) {
  // expected-error @+1 {{C7: snippets.slice_to expects no step of 0, found it in dim 0}}
  %0 = snippets.slice_to %x {starts = array<i64: 0>, stops = array<i64: 4>, steps = array<i64: 0>} : tensor<4xf32>
  func.return
}

// -----

func.func @c5_bounds(%x: tensor<4xf32>) {
  // expected-error @+1 {{C5: snippets.slice_to expects a result of shape 3, found 4}}
  %0 = snippets.slice_to %x {starts = array<i64: 1>, stops = array<i64: 9>, steps = array<i64: 1>} : tensor<4xf32>
  func.return
}
