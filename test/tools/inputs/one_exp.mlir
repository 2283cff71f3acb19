func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = snippets.exp %x : tensor<40xf32>
  func.return %0 : tensor<40xf32>
}
