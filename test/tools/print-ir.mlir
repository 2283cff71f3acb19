// RUN: snippets-opt %s -p cse,canonicalize --mlir-print-ir-after-all 2>&1 | filecheck %s --check-prefix AFTER-ALL
// RUN: snippets-opt %s -p cse,canonicalize --mlir-print-ir-before-all -o %t 2>&1 | filecheck %s --check-prefix BEFORE-ALL
// RUN: snippets-opt %s -p cse,canonicalize --mlir-print-ir-before=canonicalize -o %t 2>&1 | filecheck %s --check-prefix BEFORE
// RUN: snippets-opt %s -p cse,canonicalize --mlir-print-ir-after=cse -o %t 2>&1 | filecheck %s --check-prefix AFTER
// RUN: snippets-opt %s -p canonicalize,cse,cse --mlir-print-ir-after-change -o %t 2>&1 | filecheck %s --check-prefix CHANGE
// RUN: not snippets-opt %s -p cse --mlir-print-ir-after=cs 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: snippets-opt %s -p cse,canonicalize --mlir-print-ir-after-change --mlir-print-ir-before=canonicalize --mlir-print-ir-tree-dir=%t.tree -o %t 2>&1 | filecheck %s --check-prefix SILENT --allow-empty
// RUN: filecheck %s --check-prefix TREE --input-file %t.tree/builtin_module_no-symbol-name/0_cse.mlir
// RUN: filecheck %s --check-prefix TREE --input-file %t.tree/builtin_module_no-symbol-name/1_canonicalize_before.mlir
// RUN: not filecheck %s --check-prefix TREE --input-file %t.tree/builtin_module_no-symbol-name/1_canonicalize.mlir
// RUN: not snippets-opt %s -p cse --mlir-print-ir-tree-dir=%t.tree 2>&1 | filecheck %s --check-prefix ALONE
// RUN: not snippets-opt %s -p cse --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%s 2>&1 | filecheck %s --check-prefix FILE
// RUN: not snippets-opt %s -p cse --mlir-print-ir-after-all --mlir-print-ir-tree-dir=%t.tree --split-input-file 2>&1 | filecheck %s --check-prefix SPLIT

func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.exp %x : tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// AFTER-ALL:       // -----// IR Dump After CommonSubexpressionElimination (cse) //----- //
// AFTER-ALL-NEXT:  builtin.module {
// AFTER-ALL:         snippets.add %0, %0
// AFTER-ALL:       // -----// IR Dump After CanonicalizePass (canonicalize) //----- //

// BEFORE-ALL:      // -----// IR Dump Before CommonSubexpressionElimination (cse) //----- //
// BEFORE-ALL:        snippets.add %0, %1
// BEFORE-ALL:      // -----// IR Dump Before CanonicalizePass (canonicalize) //----- //
// BEFORE-ALL:        snippets.add %0, %0

// BEFORE-NOT:      (cse)
// BEFORE:          // -----// IR Dump Before CanonicalizePass (canonicalize) //----- //

// AFTER:           // -----// IR Dump After CommonSubexpressionElimination (cse) //----- //
// AFTER-NOT:       (canonicalize)

// The second cse finds nothing to do, so only the first one prints.
// CHANGE-NOT:      (canonicalize)
// CHANGE:          // -----// IR Dump After CommonSubexpressionElimination (cse) //----- //
// CHANGE-NOT:      (cse)

// UNKNOWN: error: --mlir-print-ir-after: pass 'cs' is not in the pipeline; did you mean 'cse'?

// With a folder, nothing is printed; a pass that changes nothing has no file.
// SILENT-NOT: {{.}}
// TREE:      builtin.module {
// TREE-NEXT:   func.func @twice
// TREE-NEXT:     snippets.exp
// TREE-NEXT:     snippets.add
// ALONE: error: --mlir-print-ir-tree-dir needs --mlir-print-ir-after-all or another of its kind
// FILE: print-ir.mlir: error: cannot write it: File exists
// SPLIT: error: --mlir-print-ir-tree-dir takes one module; do not split the input
