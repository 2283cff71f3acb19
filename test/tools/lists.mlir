// RUN: snippets-opt --list-passes | filecheck %s --check-prefix PASSES
// RUN: snippets-opt --list-all-passes | filecheck %s --check-prefix ALL
// RUN: snippets-opt --list-pipelines | filecheck %s --check-prefix PIPELINES
// RUN: snippets-opt --show-dialects | filecheck %s --check-prefix DIALECTS
// RUN: snippets-opt --help | filecheck %s --check-prefix HELP
// RUN: snippets-opt --version | filecheck %s --check-prefix VERSION

// PASSES:      snippets-set-target{target=str (default host), threads=int (default 0), cache=int (default 0), tune=str (default ""), streaming=auto|always|never (default auto), math=accurate|fast|strict (default accurate)}  Write the target machine and the thread count on the module.
// PASSES:      convert-snippets-to-lir  Turn each subgraph into a kernel
// PASSES-NOT:  {{^}}apply-pdl

// ALL:         snippets-set-target
// ALL:         apply-pdl{

// PIPELINES:   {{^}}snippets-to-lir  snippets-set-target,
// PIPELINES:   {{^}}lir-to-vector  {{.*}}convert-lir-to-vector
// PIPELINES:   {{^}}vector-to-llvm  {{.*}}convert-vector-to-llvm
// PIPELINES:   {{^}}snippets-to-llvm  snippets-set-target,

// DIALECTS:    llvm  xDSL's, extended
// DIALECTS:    {{^}}ml_program{{$}}
// DIALECTS:    scf  xDSL's, extended
// DIALECTS:    snippets  ours

// The pass names are a list of their own.
// HELP:        usage: snippets-opt [options] [input_file]
// HELP:        input:
// HELP:        passes:
// HELP-NOT:    apply-pdl
// HELP:        output:
// HELP:        lists:

// VERSION:     snippets-opt {{[0-9.]+}}, built on xDSL 0.74.0
