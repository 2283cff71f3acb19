// RUN: snippets-opt %s -p convert-vector-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{function @printf has the name of a function of libc that this program needs}}
func.func @printf() {
  func.return
}

func.func @prints(%x: f32) {
  vector.print %x : f32
  func.return
}
