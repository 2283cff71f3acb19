// softmax(x * s + b) along the last dim.
func.func @main(%x: tensor<64x1024xf32> {snippets.name = "x"}, %s: tensor<1024xf32> {snippets.name = "s"},
                %b: tensor<1024xf32> {snippets.name = "b"}) -> (tensor<64x1024xf32> {snippets.name = "y"}) {
  %0 = snippets.multiply %x, %s : (tensor<64x1024xf32>, tensor<1024xf32>) -> tensor<64x1024xf32>
  %1 = snippets.add %0, %b : (tensor<64x1024xf32>, tensor<1024xf32>) -> tensor<64x1024xf32>
  %y = snippets.softmax %1 {axis = 1 : i64} : tensor<64x1024xf32>
  func.return %y : tensor<64x1024xf32>
}
