func.func @f(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  %0 = "snippets.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
  func.return
}
