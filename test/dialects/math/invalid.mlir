// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: vector<4xf32>) {
  // expected-error @+1 {{C1: expected a result of vector<4xi1>, found i1}}
  %0 = "math.isnan"(%x) <{fastmath = #arith.fastmath<none>}> : (vector<4xf32>) -> i1
  func.return
}
