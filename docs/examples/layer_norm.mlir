// A residual connection, then a layer norm of its result: both are outputs.
func.func @main(%x: tensor<16x32x768xf32> {snippets.name = "x"}, %r: tensor<16x32x768xf32> {snippets.name = "r"},
                %s: tensor<768xf32> {snippets.name = "s"}, %b: tensor<768xf32> {snippets.name = "b"})
    -> (tensor<16x32x768xf32> {snippets.name = "sum"}, tensor<16x32x768xf32> {snippets.name = "y"}) {
  %0 = snippets.add %x, %r : tensor<16x32x768xf32>
  %y = snippets.layer_norm %0, %s, %b {axis = 2 : i64, epsilon = 1.0e-05 : f32}
       : (tensor<16x32x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<16x32x768xf32>
  func.return %0, %y : tensor<16x32x768xf32>, tensor<16x32x768xf32>
}
