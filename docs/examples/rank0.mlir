// Tensors of rank 0: the length of a vector of two numbers.
func.func @main(%a: tensor<f32> {snippets.name = "a"}, %b: tensor<f32> {snippets.name = "b"})
    -> (tensor<f32> {snippets.name = "length"}) {
  %0 = snippets.multiply %a, %a : tensor<f32>
  %1 = snippets.multiply %b, %b : tensor<f32>
  %2 = snippets.add %0, %1 : tensor<f32>
  %3 = snippets.sqrt %2 : tensor<f32>
  func.return %3 : tensor<f32>
}
