// Errors are one line on standard error and exit code 1; never a traceback.

// RUN: not snippets-run %s.missing.mlir 2>&1 | filecheck %s --check-prefix=MISSING
// MISSING: missing.mlir: error: cannot read it: No such file or directory
// MISSING-NOT: {{.}}

// RUN: not snippets-run %s --input z=%s 2>&1 | filecheck %s --check-prefix=NAME
// NAME: error: --input: no input 'z'; the inputs are long_name
// NAME-NOT: {{.}}

// RUN: not snippets-run %s --input long_name 2>&1 | filecheck %s --check-prefix=PAIR
// PAIR: error: --input expects NAME=VALUE, found 'long_name'

// RUN: not snippets-run %s --input lomg_name=%s 2>&1 | filecheck %s --check-prefix=CLOSE
// CLOSE: no input 'lomg_name'; did you mean 'long_name'?

// RUN: not snippets-run %s --input long_name=%s 2>&1 | filecheck %s --check-prefix=NPY
// NPY: snippets-run-errors.mlir: error: input 'long_name': not an .npy file

// RUN: not snippets-run %s --seed=-1 2>&1 | filecheck %s --check-prefix=SEED
// SEED: error: argument --seed: expected a number of 0 or more, found '-1'; see --help

// RUN: not snippets-run %s --entry gone 2>&1 | filecheck %s --check-prefix=ENTRY
// ENTRY: error: expected a function @gone, found @main

// RUN: printf 'func.func @a() { func.return }\nfunc.func @b() { func.return }' > %t.two.mlir
// RUN: not snippets-run %t.two.mlir 2>&1 | filecheck %s --check-prefix=TWO
// TWO: two.mlir:2:1: error: expected a function @main or exactly one public function, found @a, @b

// RUN: sed -e '/onnx.node/d' -e 's/return %1/return %0/' -e 's/2x2/?x2/g' %s > %t.any.mlir
// RUN: not snippets-run %t.any.mlir --shape long_name=99999999999999999999x2 2>&1 | filecheck %s --check-prefix=MEMORY
// MEMORY: error: input 'long_name': no memory for 99999999999999999999x2 random values of float32: Maximum allowed dimension exceeded
// MEMORY-NOT: {{.}}

// RUN: snippets-run %t.any.mlir --shape long_name=2x2 | filecheck %s --check-prefix=FITS
// FITS: 2x2 float32

// RUN: not snippets-run %s --math quick 2>&1 | filecheck %s --check-prefix=MATH
// MATH: error: math: expected one of accurate, fast, strict, found 'quick'

// RUN: not snippets-run %s --target x86-64-avx 2>&1 | filecheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'x86-64-avx'; did you mean 'x86-64-avx2' or 'x86-64-avx512'?

// RUN: not snippets-run %s --mark-skipped=onnx 2>&1 | filecheck %s --check-prefix=PROFILE
// PROFILE: error: mark_skipped: expected one of

// RUN: not snippets-run %s --num-threads 0 2>&1 | filecheck %s --check-prefix=THREADS
// THREADS: error: num_threads: expected 1 or more, found 0

// RUN: not snippets-run %s --quick 2>&1 | filecheck %s --check-prefix=OPTION
// OPTION: error: unrecognized arguments: --quick; see --help

// RUN: not snippets-run %s --fallback error 2>&1 | filecheck %s --check-prefix=FALLBACK
// FALLBACK: snippets-run-errors.mlir:{{[0-9]+}}:{{.*}}: error: fallback="error": 1 op(s) cannot go into a kernel: onnx.MatMul 'product'

// How many numbers differ from 0 is known in a run only.
// RUN: echo 'func.func @main(%%x: tensor<4xf32>) -> tensor<1x9xi64> { %%0 = onnx.node "NonZero"(%%x) {domain = "", version = 13 : i64} : (tensor<4xf32>) -> tensor<1x9xi64> func.return %%0 : tensor<1x9xi64> }' > %t.nonzero.mlir
// RUN: not snippets-run %t.nonzero.mlir 2>&1 | filecheck %s --check-prefix=RESULT
// RESULT: error: an executor returned int64 of shape (1, 4), the program says int64 of shape (1, 9)
// RESULT-NOT: {{.}}

func.func @main(%x: tensor<2x2xf32> {snippets.name = "long_name"}) -> tensor<2x2xf32> {
  %0 = snippets.relu %x : tensor<2x2xf32>
  // The place of the op in the text.
  %1 = onnx.node "MatMul"(%0, %0) {domain = "", version = 13 : i64, node_name = "product"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  func.return %1 : tensor<2x2xf32>
}
