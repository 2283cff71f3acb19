// RUN: snippets-opt %s -p convert-func-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{function @planes of type (vector<2x4xf32>) -> () has no llvm form: expected scalars, pointers, 1-D vectors and ranked memrefs}}
func.func @planes(%a: vector<2x4xf32>) {
  func.return
}

// -----

func.func @calls_host() {
  // expected-error @+1 {{expected a call of a kernel function, found @host}}
  func.call @host() : () -> ()
  func.return
}
func.func @host() {
  lir.call @kernel() : () -> ()
  func.return
}
lir.kernel @kernel "linear" () -> () {
}
