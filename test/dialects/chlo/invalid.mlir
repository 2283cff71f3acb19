// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{chlo.erf expects operands of the result's shape 8, found 4}}
  %0 = chlo.erf %x : tensor<4xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @number_of_operands(%x: tensor<4xf32>) {
  // expected-error @+1 {{chlo.zeta expects 2 operands, found 1}}
  %0 = chlo.zeta %x : tensor<4xf32> -> tensor<4xf32>
  func.return
}
