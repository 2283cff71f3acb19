func.func @main(%a: tensor<512x256xf32>, %b: tensor<256x1024xf32>, %bias: tensor<1024xf32>)
    -> tensor<512x1024xf32> {
  %0 = snippets.matmul %a, %b : (tensor<512x256xf32>, tensor<256x1024xf32>) -> tensor<512x1024xf32>
  %1 = snippets.add %0, %bias : (tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
  %2 = snippets.relu %1 : tensor<512x1024xf32>
  func.return %2 : tensor<512x1024xf32>
}
