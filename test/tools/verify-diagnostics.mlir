// What `--verify-diagnostics` itself refuses.
// RUN: not snippets-opt %S/inputs/expected-missing.mlir --verify-diagnostics 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not snippets-opt %S/inputs/expected-wrong-line.mlir --verify-diagnostics --split-input-file 2>&1 | filecheck %s --check-prefix LINE
// RUN: not snippets-opt %S/inputs/expected-malformed.mlir --verify-diagnostics 2>&1 | filecheck %s --check-prefix MALFORMED

// MISSING:      expected-missing.mlir:2:1: error: expected error "nothing" was not produced
// LINE:         expected-wrong-line.mlir:10:8: error: unexpected error: unknown op 'foo.bar'
// LINE:         expected-wrong-line.mlir:8:1: error: expected error "unknown op" was not produced
// MALFORMED:    expected-malformed.mlir:2:1: error: malformed expectation; write 'expected-error {{[{][{]}}text{{[}][}]}}' at the end of the line
