// RUN: snippets-opt %s -p lir-unroll --verify-diagnostics

module attributes {snippets.target = "x86-64-avx2"} {
  // expected-error @+1 {{expected @early at stage looped, found "accessed"; lir-insert-loops leads there}}
  lir.kernel @early "accessed" (%a: tensor<8xf32>) -> () {
  }
}
