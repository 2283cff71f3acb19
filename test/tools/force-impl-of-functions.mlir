// --force-impl and --explain=program-select-implementations on a function: subgraphs, and what is
// beside them, are the nodes; an op is called like its value, else like itself.

// RUN: snippets-opt %s -p snippets-to-llvm --explain=program-select-implementations -o %t.mlir 2>&1 | filecheck %s
// CHECK: program-select-implementations: @main
// CHECK-NEXT: "shifted": snippets: chosen, {{[0-9]+}} ns
// CHECK-NEXT: "total": snippets refused: mine; onnxruntime refused: snippets.cum_sum on these types has no node of ONNX; reference: chosen
// CHECK-NEXT: "subgraph": snippets: chosen, {{[0-9]+}} ns

// The output is what it is without --explain: a function.
// RUN: filecheck %s --check-prefix=FUNCTION --input-file=%t.mlir
// FUNCTION-NOT: program.graph
// FUNCTION: func.func @main

// What is forced leaves the kernel, and the rest stays in it; what is not forced is what it was.
// RUN: snippets-opt %s -p snippets-tokenize --force-impl=shifted:onnxruntime --explain=program-select-implementations 2>&1 | filecheck %s --check-prefix=FORCED
// FORCED: "scaled": snippets: chosen
// FORCED-NEXT: "shifted": onnxruntime: forced
// FORCED-NEXT: "total":{{.*}}reference: chosen
// FORCED-NEXT: "subgraph": snippets: chosen
// FORCED: program.node "scaled" {{.*}} impl<"snippets"
// FORCED: program.node "shifted" {{.*}} impl<"onnxruntime">
// FORCED: program.node "total" {{.*}} impl<"reference">
// FORCED: program.node "subgraph" {{.*}} impl<"snippets"> origin ["relu"]

// RUN: snippets-run %s --verify --report | filecheck %s --check-prefix=PLAIN
// RUN: snippets-run %s --verify --report --force-impl='*:snippets' --force-impl=total:reference | filecheck %s --check-prefix=PLAIN
// RUN: snippets-run %s --verify --report --force-impl=shifted:onnxruntime | filecheck %s --check-prefix=ENGINE
// RUN: snippets-run %s --verify --report --force-impl='*:reference' | filecheck %s --check-prefix=NONE
// PLAIN: ok
// PLAIN-NEXT: 2 kernel(s), 1 op(s) in no kernel
// ENGINE: ok
// ENGINE-NEXT: 2 kernel(s), 2 op(s) in no kernel
// NONE: ok
// NONE-NEXT: 0 kernel(s), 4 op(s) in no kernel

// RUN: not snippets-run %s --force-impl=total:snippets 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not snippets-run %s --force-impl=tota:snippets 2>&1 | filecheck %s --check-prefix=MATCH
// RUN: not snippets-run %s --force-impl=relu:cuda 2>&1 | filecheck %s --check-prefix=KIND
// REFUSED: force-impl-of-functions.mlir:{{[0-9]+}}:3: error: "total": snippets is forced and refused it: mine
// MATCH: error: {{.*}}force: no node matches 'tota'; there are "scaled", "shifted", "total", "relu", "subgraph"
// KIND: error: {{.*}}force: expected one of snippets, onnxruntime, reference, inside, found 'cuda'

func.func @main(%x: tensor<3x17xf32> {snippets.name = "x"}) -> (tensor<3x17xf32> {snippets.name = "y"}) {
  %scaled = snippets.multiply %x, %x : tensor<3x17xf32>
  %shifted = snippets.add %scaled, %x : tensor<3x17xf32>
  %total = snippets.cum_sum %shifted {axis = 1 : i64, snippets.skipped = "mine"} : tensor<3x17xf32>
  %0 = snippets.relu %total : tensor<3x17xf32>
  func.return %0 : tensor<3x17xf32>
}
