module @jit_silu {
  func.func public @main(%x: tensor<8x64xf32> {snippets.name = "x"}) -> (tensor<8x64xf32> {snippets.name = "y"}) {
    %0 = func.call @silu(%x) : (tensor<8x64xf32>) -> tensor<8x64xf32>
    return %0 : tensor<8x64xf32>
  }
  func.func private @silu(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
    %0 = stablehlo.negate %x : tensor<8x64xf32>
    %1 = stablehlo.exponential %0 : tensor<8x64xf32>
    %c = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
    %3 = stablehlo.add %2, %1 : tensor<8x64xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x64xf32>
    %5 = stablehlo.multiply %x, %4 : tensor<8x64xf32>
    return %5 : tensor<8x64xf32>
  }
}
