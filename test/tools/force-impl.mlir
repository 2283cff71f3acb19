// --force-impl chooses what runs nodes of a program, in both tools; the last pair wins.

// RUN: snippets-opt %s -p 'program-select-implementations{force=b:onnxruntime}' --force-impl '*:onnxruntime' --force-impl=b:reference | filecheck %s
// CHECK: program.node "a" (%{{.*}} = %{{.*}}) impl<"onnxruntime"> :
// CHECK: program.node "b" (%{{.*}} = %{{.*}}) impl<"reference"> :

// RUN: not snippets-opt %s -p program-select-implementations --force-impl= 2>&1 | filecheck %s --check-prefix=EMPTY
// EMPTY: force: expected PATTERN:KIND, found ''

// RUN: snippets-opt %s -p program-select-implementations | filecheck %s --check-prefix=WITHOUT
// WITHOUT: program.node "a" (%{{.*}} = %{{.*}}) impl<"snippets"> :
// WITHOUT: program.node "b" (%{{.*}} = %{{.*}}) impl<"snippets"> :

// RUN: snippets-run %s --verify --report --force-impl b:onnxruntime | filecheck %s --check-prefix=ENGINE
// RUN: snippets-run %s --verify --report | filecheck %s --check-prefix=KERNEL
// RUN: snippets-run %s --verify --report --force-impl '*:snippets' | filecheck %s --check-prefix=KERNEL
// ENGINE: y: 5 float32 max_abs=0 max_rel=0 ok
// ENGINE-NEXT: 1 kernel(s), 1 op(s)
// KERNEL: y: 5 float32 max_abs=0 max_rel=0 ok
// KERNEL-NEXT: 1 kernel(s), 0 op(s)

// A node that runs in another way is not fused. What is forced for a part of a node is forced for
// the node.

// RUN: snippets-opt %s -p program-fuse-primitives,program-select-implementations --force-impl=a:reference | filecheck %s --check-prefix=APART
// APART: program.node "a" (%{{.*}} = %{{.*}}) impl<"reference"> :
// APART: program.node "b" (%{{.*}} = %{{.*}}) impl<"snippets"> :
// RUN: snippets-opt %s -p program-fuse-primitives | snippets-opt -p program-select-implementations --force-impl=a:reference | filecheck %s --check-prefix=PART
// PART: program.node "b" (%{{.*}} = %{{.*}}) impl<"reference"> origin ["a", "b"] :

// RUN: not snippets-run %s --force-impl=b 2>&1 | filecheck %s --check-prefix=PAIR
// RUN: not snippets-run %s --force-impl=z:snippets 2>&1 | filecheck %s --check-prefix=MATCH
// RUN: not snippets-run %s --force-impl=a:cuda 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not snippets-opt %s -p program-to-llvm --force-impl=a:cuda 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not snippets-opt %s -p cse --force-impl=a:snippets 2>&1 | filecheck %s --check-prefix=PASSES
// RUN: not snippets-run %S/../../docs/examples/programs/pools.mlir --force-impl=copy:snippets 2>&1 | filecheck %s --check-prefix=FORCED
// PAIR: error: {{.*}}force: expected PATTERN:KIND, found 'b'
// MATCH: error: {{.*}}force: no node matches 'z'; there are "a", "b"
// KIND: error: {{.*}}force: expected one of snippets, onnxruntime, reference, inside, found 'cuda'
// PASSES: error: --force-impl: expected a pipeline with 'program-select-implementations' or 'snippets-tokenize'; it has cse
// FORCED: pools.mlir:15:3: error: "copy": snippets is forced and refused it: no op of the snippets dialect stands for it

// Profiles, execution graphs and --layers have the names of both.

// RUN: snippets-run %s --profile=%t.csv --exec-graph=%t.mlir --dump-tensors=%t.dir --layers=a | filecheck %s --check-prefix=DUMP
// RUN: filecheck %s --check-prefix=CSV --input-file=%t.csv
// RUN: filecheck %s --check-prefix=GRAPH --input-file=%t.mlir
// DUMP: y: 5 float32
// CSV: 0,b,executed,kernel,b,
// CSV-NEXT: 0,a,fused into b,kernel,b,,
// GRAPH: onnx.node "snippets"(%x) {{{.*}}node_name = "b", attributes = {computes = ["b", "a"],

program.graph @main "topology" (%x "x": tensor<5xf32>) {
  %0 = program.node "a" (%a = %x) : (tensor<5xf32>) -> tensor<5xf32> {
    %v = snippets.relu %a : tensor<5xf32>
    program.yield %v : tensor<5xf32>
  }
  %1 = program.node "b" (%a = %0) : (tensor<5xf32>) -> tensor<5xf32> {
    %v = snippets.relu %a : tensor<5xf32>
    program.yield %v : tensor<5xf32>
  }
  program.output %1 as "y" : tensor<5xf32>
}
