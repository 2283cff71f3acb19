// Mistakes on the command line: one line each, exit code 1, no traceback, no output.
// RUN: not snippets-opt %s -p canonicalise 2>&1 | filecheck %s --check-prefix PASS
// RUN: not snippets-opt %s -p 'cse,qqqqq' 2>&1 | filecheck %s --check-prefix NOPASS
// RUN: not snippets-opt %s -p 'snippets-set-target{thread=2}' 2>&1 | filecheck %s --check-prefix OPTION
// RUN: not snippets-opt %s -p 'snippets-set-target{threads=two}' 2>&1 | filecheck %s --check-prefix VALUE
// RUN: not snippets-opt %s -p 'cse,snippets-set-target{threads=' 2>&1 | filecheck %s --check-prefix CUT
// RUN: not snippets-opt %s -p 'func.func(cse)' 2>&1 | filecheck %s --check-prefix NESTED
// RUN: not snippets-opt %s --canonicalice 2>&1 | filecheck %s --check-prefix FLAG
// RUN: not snippets-opt %s --verify-eech 2>&1 | filecheck %s --check-prefix FLAG2
// RUN: not snippets-opt %s --verify-each=maybe 2>&1 | filecheck %s --check-prefix BOOL
// RUN: not snippets-opt %s %s 2>&1 | filecheck %s --check-prefix TWO
// RUN: not snippets-opt %s -t llwm 2>&1 | filecheck %s --check-prefix TARGET
// RUN: not snippets-opt %s --target=aarch64-neon 2>&1 | filecheck %s --check-prefix MACHINE
// RUN: not snippets-opt %s -t 'llvm{' 2>&1 | filecheck %s --check-prefix TARGET2
// RUN: not snippets-opt %s -f onxx 2>&1 | filecheck %s --check-prefix KIND
// RUN: not snippets-opt %s --snippets-to-lir=threads=1 2>&1 | filecheck %s --check-prefix PIPELINE

// PASS:          <pipeline>:1:1: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?
// PASS-NOT:      {{.}}
// NOPASS:        <pipeline>:1:5: error: unknown pass 'qqqqq'; see --list-passes
// OPTION:        error: pass 'snippets-set-target' has no option 'thread'; did you mean 'threads'?; options: target=str (default host), threads=int (default 0)
// VALUE:         error: option 'threads' of pass 'snippets-set-target': expected int, got 'two'
// CUT:           <pipeline>:1:33: error: expected a value for option 'threads', found the end
// NESTED:        error: passes run on the whole module here, not on each 'func.func'; write its passes without 'func.func(...)' around them
// FLAG:          error: unknown option '--canonicalice'; did you mean '--canonicalize'?
// FLAG2:         error: unknown option '--verify-eech'; did you mean '--verify-each'?
// BOOL:          error: argument --verify-each: expected true or false, got 'maybe'; see --help
// TWO:           error: unrecognized arguments: {{.*}}errors-command-line.mlir; see --help
// TARGET:        error: {{.*}}invalid choice: 'llwm'
// MACHINE:       error: -t/--target: expected the form of the output, found the machine 'aarch64-neon'; begin the pipeline with snippets-set-target{target=aarch64-neon}; see --help
// TARGET2:       error: target: Error parsing pass pipeline specification
// KIND:          error: input of kind 'onxx' is not known; use -f mlir or {{.*}}-f onnx
// PIPELINE:      error: pipeline 'snippets-to-lir' takes no options

func.func @f() {
  func.return
}
