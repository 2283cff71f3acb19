// Inputs that are no module: the place in the input, exit code 1, and the output file stays as it was.
// RUN: not snippets-opt %S/inputs/empty.mlir 2>&1 | filecheck %s --check-prefix EMPTY
// RUN: not snippets-opt %S/inputs/only-comment.mlir 2>&1 | filecheck %s --check-prefix COMMENT
// RUN: not snippets-opt %S/inputs/zero-byte.mlir 2>&1 | filecheck %s --check-prefix ZERO
// RUN: not snippets-opt %S/inputs/not-text.mlir 2>&1 | filecheck %s --check-prefix BINARY
// RUN: not snippets-opt %S/inputs/missing.mlir 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not snippets-opt %S 2>&1 | filecheck %s --check-prefix DIRECTORY
// RUN: not snippets-opt %S/inputs/crlf.mlir 2>&1 | filecheck %s --check-prefix CRLF
// RUN: not snippets-opt - < %S/inputs/crlf.mlir 2>&1 | filecheck %s --check-prefix STDIN
// RUN: echo before > %t && not snippets-opt %S/inputs/cut.mlir -o %t 2>&1 | filecheck %s --check-prefix CUT
// RUN: cat %t | filecheck %s --check-prefix UNTOUCHED
// RUN: not snippets-opt %s -o %S/no-such-folder/out.mlir 2>&1 | filecheck %s --check-prefix OUTPUT

// EMPTY:        inputs/empty.mlir:1:1: error: the input is empty
// COMMENT:      inputs/only-comment.mlir:2:1: error: expected an operation
// ZERO:         inputs/zero-byte.mlir:2:1: error: the input is binary, it has a zero byte
// BINARY:       inputs/not-text.mlir:2:1: error: the input is not UTF-8 text
// MISSING:      error: cannot read '{{.*}}inputs/missing.mlir': No such file or directory
// DIRECTORY:    error: cannot read '{{.*}}tools': Is a directory
// CRLF:         inputs/crlf.mlir:2:8: error: unknown op 'foo.bar': no dialect 'foo'
// CRLF-NEXT:      %0 = foo.bar
// CRLF-NEXT:  {{^       \^$}}
// STDIN:        <stdin>:2:8: error: unknown op 'foo.bar'
// CUT:          inputs/cut.mlir:2:{{[0-9]+}}: error:
// UNTOUCHED:    before
// OUTPUT:       {{.*}}out.mlir: error: cannot write it: No such file or directory

func.func @f() {
  func.return
}
