// RUN: snippets-opt %s -p convert-lir-to-vector --split-input-file --verify-diagnostics

// Vectors of a tail of known work have lanes of their own.
lir.kernel @known "expanded" (%a: tensor<20xf32>) -> () loops [#lir.loop<0, work 20, inc 8, dim 0>, #lir.loop<1, work 20, inc 8, dim 0, whole of 0>] {
  // expected-error @+1 {{in @known: expected a main and a last part of loop 0, whose work is known, found the whole of it, loop 1, along the vectors}}
  lir.loop_begin 1
  lir.loop_end 1
}
