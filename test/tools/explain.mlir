// Why ops stay outside of kernels, on standard error, with their place.
// RUN: snippets-opt %s -p snippets-tokenize --explain -o %t 2>&1 | filecheck %s
// RUN: snippets-opt %s -p snippets-tokenize --explain 2>/dev/null | filecheck %s --check-prefix STDOUT
// RUN: snippets-opt %s --explain -o %t 2>&1 | filecheck %s --check-prefix BEFORE
// RUN: snippets-opt %s -p snippets-tokenize --explain --verify-diagnostics -o %t

func.func @main(%x: tensor<4xf32>, %y: tensor<4xi8>) -> (tensor<4xf32>, tensor<4xi8>) {
  %0 = snippets.abs %x : tensor<4xf32>
  // expected-remark @+1 {{snippets.exp not tokenized: it is marked snippets.skipped}}
  %1 = snippets.exp %0 {snippets.skipped} : tensor<4xf32>
  // expected-remark @+1 {{snippets.abs not tokenized: there are no kernels for i8 elements}}
  %2 = snippets.abs %y : tensor<4xi8>
  func.return %1, %2 : tensor<4xf32>, tensor<4xi8>
}

// CHECK-NOT:   snippets.abs
// CHECK:       {{.*}}explain.mlir:10:3: remark: snippets.exp not tokenized: it is marked snippets.skipped
// CHECK-NEXT:  {{.*}}explain.mlir:12:3: remark: snippets.abs not tokenized: there are no kernels for i8 elements

// STDOUT-NOT:  remark
// STDOUT:      snippets.subgraph

// BEFORE:      {{.*}}explain.mlir:8:3: remark: snippets.abs not tokenized: the tokenizer has not run
