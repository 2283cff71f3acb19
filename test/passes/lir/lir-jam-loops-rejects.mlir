// RUN: not snippets-opt %s -p 'lir-jam-loops{max-ops=-1}' 2>&1 | filecheck %s

// CHECK: expected max-ops of 0 or more, found -1
builtin.module attributes {snippets.target = "x86-64-avx2"} {
}
