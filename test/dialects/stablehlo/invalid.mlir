// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @shapes_differ(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{expects operands of the result's shape 4, found 8}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
  func.return
}

// -----

func.func @number_of_operands(%x: tensor<4xf32>) {
  // expected-error @+1 {{stablehlo.add expects 2 operands, found 1}}
  %0 = stablehlo.add %x : tensor<4xf32>
  func.return
}

// -----

func.func @direction(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected EQ or NE or GE or GT or LE or LT, found UP}}
  %0 = stablehlo.compare UP, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  func.return
}

// -----

func.func @broadcast(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects dims [1] that fit the operand: found 4x8 of 4}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @slice_outside(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects ranges within the operand, and a result of their sizes: found 5 of 4}}
  %0 = stablehlo.slice %x [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  func.return
}

// -----

func.func @padded_shape(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expects the padded shape: 7, found 6 of 4, scalar}}
  %0 = stablehlo.pad %x, %s, low = [1], high = [2], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  func.return
}

// -----

func.func @contracting_sizes(%a: tensor<4x8xf32>, %b: tensor<7x5xf32>) {
  // expected-error @+1 {{expects contracting dims of equal sizes, found 4x8 and 7x5}}
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<7x5xf32>) -> tensor<4x5xf32>
  func.return
}

// -----

func.func @bits(%x: tensor<4xf32>) {
  // expected-error @+1 {{stablehlo.bitcast_convert expects a result of the operand's bits, found tensor<4xf32> and tensor<4x2xi8>}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x2xi8>
  func.return
}

// -----

func.func @reducer(%x: tensor<4xf32>, %s: tensor<f32>) {
  // expected-error @+1 {{expected an elementwise op of two operands, found stablehlo.tanh}}
  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.tanh across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @barrier(%x: tensor<4xf32>) {
  // expected-error @+1 {{stablehlo.optimization_barrier expects results of the operands' types}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<4xi32>
  func.return
}
