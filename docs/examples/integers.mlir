// A step of a hash on 64-bit integers: everything wraps, shifts beyond the width give 0.
func.func @main(%key: tensor<1000xi64> {snippets.name = "key"},
                %seed: tensor<i64> {snippets.name = "seed"})
    -> (tensor<1000xi64> {snippets.name = "hash"}) {
  %shift = snippets.scalar 33 : i64
  %factor = snippets.scalar -49064778989728563 : i64
  %0 = snippets.bitwise_xor %key, %seed : (tensor<1000xi64>, tensor<i64>) -> tensor<1000xi64>
  %1 = snippets.bitwise_right_shift %0, %shift : (tensor<1000xi64>, tensor<i64>) -> tensor<1000xi64>
  %2 = snippets.bitwise_xor %0, %1 : tensor<1000xi64>
  %3 = snippets.multiply %2, %factor : (tensor<1000xi64>, tensor<i64>) -> tensor<1000xi64>
  func.return %3 : tensor<1000xi64>
}
