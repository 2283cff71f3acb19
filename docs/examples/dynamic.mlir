// A batch of any size: compiled again for each shape it is called with.
func.func @main(%x: tensor<?x64xf32> {snippets.name = "x"},
                %gain: tensor<64xf32> {snippets.name = "gain"})
    -> (tensor<?x64xf32> {snippets.name = "y"}) {
  %0 = snippets.softplus %x : tensor<?x64xf32>
  %1 = snippets.multiply %0, %gain : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  func.return %1 : tensor<?x64xf32>
}
