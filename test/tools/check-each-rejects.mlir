// RUN: snippets-opt %s --split-input-file --verify-diagnostics --check-each --allow-unregistered-dialect -p canonicalize
// RUN: not snippets-opt %s --check-each --check-seed=x 2>&1 | filecheck %s --check-prefix=SEED
// RUN: snippets-opt --help | filecheck %s --check-prefix=HELP
// RUN: not snippets-opt %s --check-each --check-seed=-1 2>&1 | filecheck %s --check-prefix=NEGATIVE
// SEED: error: argument --check-seed: expected a number of 0 or more, found 'x'; see --help
// NEGATIVE: error: argument --check-seed: expected a number of 0 or more, found '-1'; see --help
// HELP: --check-each

// An op that cannot be executed.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{--check-each cannot run the module: the interpreter has no handler for other.op}}
  %0 = "other.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// Arguments that have no values of their own.
// expected-error@+1 {{--check-each: expected arguments that are tensors, memrefs or numbers, found tuple<tensor<4xf32>>}}
func.func @main(%m: memref<4xf32>, %x: tuple<tensor<4xf32>>) {
  func.return
}
