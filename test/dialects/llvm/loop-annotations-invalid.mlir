// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a positive count of type i32, found 0 : i32}}
"test.op"() {a = #llvm.loop_unroll<count = 0 : i32>} : () -> ()

// -----

// expected-error @+1 {{expected a positive count of type i32, found 4 : i64}}
"test.op"() {a = #llvm.loop_unroll<count = 4 : i64>} : () -> ()

// -----

// expected-error @+1 {{expected disable = true or false, found 1 : i32}}
"test.op"() {a = #llvm.loop_unroll<disable = 1 : i32>} : () -> ()

// -----

// expected-error @+1 {{expected one of disable, count, once, found full}}
"test.op"() {a = #llvm.loop_unroll<full = true>} : () -> ()

// -----

// expected-error @+1 {{expected one of unroll, once, found vectorize}}
"test.op"() {a = #llvm.loop_annotation<vectorize = true>} : () -> ()

// -----

// expected-error @+1 {{expected disable or count}}
"test.op"() {a = #llvm.loop_unroll<>} : () -> ()
