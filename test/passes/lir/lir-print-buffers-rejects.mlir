// RUN: snippets-opt %s -p 'lir-print-buffers' --verify-diagnostics

// expected-error@+1 {{expected @stage at stage looped or expanded or assigned, found "linear"}}
lir.kernel @stage "linear" () -> () {
}
