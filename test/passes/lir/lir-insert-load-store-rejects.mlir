// RUN: snippets-opt %s -p 'lir-insert-load-store' --verify-diagnostics

// No op computes the result: there is no loop to load and store its elements in.
lir.kernel @array "marked" (%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{expected lir.result of a computed value, found one of an array; make a copy with snippets.broadcast}}
  lir.result %x {index = 0 : i64, lir.ports = [#lir.port<[16], sub [8]>]} : tensor<16xf32>
}
