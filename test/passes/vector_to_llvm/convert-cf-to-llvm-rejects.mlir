// RUN: snippets-opt %s -p convert-cf-to-llvm --split-input-file --verify-diagnostics

// expected-error @+1 {{function @abort has the name of a function of libc that this program needs}}
func.func @abort() {
  func.return
}

func.func @asserts(%c: i1) {
  cf.assert %c, "no"
  func.return
}
