// Compare and select: x where it is a finite number above the threshold, else the default.
func.func @main(%x: tensor<7x9xf64> {snippets.name = "x"},
                %threshold: tensor<9xf64> {snippets.name = "threshold"},
                %default: tensor<f64> {snippets.name = "default"})
    -> (tensor<7x9xf64> {snippets.name = "y"}, tensor<7x9xi1> {snippets.name = "taken"}) {
  %0 = snippets.greater %x, %threshold : (tensor<7x9xf64>, tensor<9xf64>) -> tensor<7x9xi1>
  %1 = snippets.is_finite %x : (tensor<7x9xf64>) -> tensor<7x9xi1>
  %2 = snippets.logical_and %0, %1 : tensor<7x9xi1>
  %3 = snippets.select %2, %x, %default : (tensor<7x9xi1>, tensor<7x9xf64>, tensor<f64>) -> tensor<7x9xf64>
  func.return %3, %2 : tensor<7x9xf64>, tensor<7x9xi1>
}
