// RUN: snippets-opt %s -p convert-func-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{function @two of type () -> (f32, f32) has no llvm form: expected at most one result}}
func.func @two() -> (f32, f32) {
  %0 = arith.constant 1.0 : f32
  func.return %0, %0 : f32, f32
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
