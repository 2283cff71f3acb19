// Passes as options run in the order of the command line, mixed with -p and --pass-pipeline.
// RUN: snippets-opt %s --cse -p canonicalize --dce --pass-pipeline='builtin.module(cse)' --mlir-print-ir-after-all -o %t 2>&1 | filecheck %s --check-prefix ORDER
// RUN: snippets-opt %s --snippets-set-target="target=generic threads=3" | filecheck %s --check-prefix OPTIONS
// RUN: snippets-opt %s --snippets-set-target='{target=generic,threads=3}' | filecheck %s --check-prefix OPTIONS
// RUN: snippets-opt %s -p 'snippets-set-target{threads=3, target="generic"}' | filecheck %s --check-prefix OPTIONS
// RUN: snippets-opt %s --pass-pipeline='builtin.module( any(snippets-set-target{ target=generic threads=3 }) )' | filecheck %s --check-prefix OPTIONS
// RUN: snippets-opt %s -snippets-set-target="target=generic threads=3" | filecheck %s --check-prefix OPTIONS
// RUN: snippets-opt -p '' - < %s | filecheck %s --check-prefix NOTHING

// ORDER:     Dump After {{.*}} (cse)
// ORDER:     Dump After {{.*}} (canonicalize)
// ORDER:     Dump After {{.*}} (dce)
// ORDER:     Dump After {{.*}} (cse)
// ORDER-NOT: Dump After

// OPTIONS: builtin.module attributes {{{.*}}snippets.target = "generic"{{.*}}snippets.threads = 3 : i64

// NOTHING: builtin.module {

func.func @f() {
  func.return
}
