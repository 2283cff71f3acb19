func.func @main(%x: tensor<64xf32> {snippets.name = "x"}) -> (tensor<64xf32> {snippets.name = "y"}) {
  %0 = snippets.exp %x : tensor<64xf32>
  %1 = mine.softshrink %0 : tensor<64xf32>
  %2 = snippets.relu %1 : tensor<64xf32>
  func.return %2 : tensor<64xf32>
}
