// A bias for each channel and a scale for each image, repeated over the picture by NumPy's rules.
func.func @main(%x: tensor<2x8x14x15xf32> {snippets.name = "x"},
                %bias: tensor<8x1x1xf32> {snippets.name = "bias"},
                %scale: tensor<2x1x1x1xf32> {snippets.name = "scale"})
    -> (tensor<2x8x14x15xf32> {snippets.name = "y"}) {
  %0 = snippets.multiply %x, %scale : (tensor<2x8x14x15xf32>, tensor<2x1x1x1xf32>) -> tensor<2x8x14x15xf32>
  %1 = snippets.add %0, %bias : (tensor<2x8x14x15xf32>, tensor<8x1x1xf32>) -> tensor<2x8x14x15xf32>
  %2 = snippets.relu %1 : tensor<2x8x14x15xf32>
  func.return %2 : tensor<2x8x14x15xf32>
}
