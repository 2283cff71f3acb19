// RUN: snippets-opt %s --split-input-file | filecheck %s
// RUN: not snippets-opt %S/inputs/second-is-wrong.mlir --split-input-file 2>&1 | filecheck %s --check-prefix WRONG
// RUN: not snippets-opt %s 2>&1 | filecheck %s --check-prefix WHOLE

// CHECK:      func.func @same_name
// CHECK:      // -----
// CHECK:      func.func @same_name
// CHECK-NOT:  // -----

// WRONG:      second-is-wrong.mlir:8:8: error: unknown op 'foo.bar'
// WRONG-NOT:  builtin.module

// WHOLE:      error: {{.*}}SSA value %0 is already defined

%0 = arith.constant 1 : i32
func.func @same_name() {
  func.return
}

// -----

%0 = arith.constant 1 : i32
func.func @same_name() {
  func.return
}

// -----
// Nothing but a comment: no module.
