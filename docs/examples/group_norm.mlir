// 32 channels in 8 groups of 4: each group of an image is normalised by its own mean and variance.
func.func @main(%x: tensor<4x32x14x14xf32> {snippets.name = "x"}, %s: tensor<32xf32> {snippets.name = "s"},
                %b: tensor<32xf32> {snippets.name = "b"}) -> (tensor<4x32x14x14xf32> {snippets.name = "y"}) {
  %y = snippets.group_norm %x, %s, %b {num_groups = 8 : i64, epsilon = 1.0e-05 : f32}
       : (tensor<4x32x14x14xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<4x32x14x14xf32>
  func.return %y : tensor<4x32x14x14xf32>
}
