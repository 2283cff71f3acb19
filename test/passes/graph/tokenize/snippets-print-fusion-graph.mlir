// RUN: snippets-opt %s -p snippets-print-fusion-graph | filecheck %s
// RUN: snippets-opt %s -p 'snippets-print-fusion-graph{max-fuse-depth=1}' | filecheck %s --check-prefix=SINGLE
// RUN: snippets-opt %s -p 'snippets-print-fusion-graph{format=dot}' | filecheck %s --check-prefix=DOT
// RUN: snippets-opt %s -p 'snippets-print-fusion-graph{format=svg}' | filecheck %s --check-prefix=SVG
// RUN: snippets-opt %s -p 'snippets-print-fusion-graph{format=dot file=%t.dot}' | filecheck %s --check-prefix=IR
// RUN: filecheck %s --check-prefix=DOT --input-file %t.dot

// CHECK: function @main
// CHECK-NEXT: node 0 %x: opaque extern -> 2 out_elemwise_fusable, 2 out_elemwise_fusable
// CHECK-NEXT: node 1 %y: opaque extern -> 5 elemwise
// CHECK-NEXT: node 2 MatMul: out_elemwise_fusable -> 4 elemwise
// CHECK-NEXT: node 3 scalar: elemwise -> 4 broadcast
// CHECK-NEXT: node 4 add: broadcast -> 5 broadcast
// CHECK-NEXT: node 5 subtract: broadcast extern -> nothing
// CHECK-NEXT: post-dominator 0: none
// CHECK-NEXT: post-dominator 1: none
// CHECK-NEXT: post-dominator 2: 4 by elemwise
// CHECK-NEXT: post-dominator 3: 4 by broadcast
// CHECK-NEXT: post-dominator 4: 5 by broadcast
// CHECK-NEXT: post-dominator 5: none
// CHECK-NEXT: group 0: opaque = 0
// CHECK-NEXT: group 1: opaque = 1
// CHECK-NEXT: group 4: out_elemwise_fusable around 2 = 2, 3, 4
// CHECK-NEXT: group 5: broadcast = 5
// CHECK-NEXT: builtin.module

// SINGLE: group 2: out_elemwise_fusable around 2 = 2
// SINGLE: group 4: broadcast = 4

// DOT: digraph "function @main" {
// DOT: subgraph cluster_4 {
// DOT-NEXT: n2 [label="2 MatMul", fillcolor="#cbd5e8"];
// DOT: n5 [label="5 subtract", fillcolor="#e6f5c9", peripheries=2];
// DOT: n0 -> n2 [label="out_elemwise_fusable"];
// DOT: n2 -> n4;
// DOT-NEXT: n2 -> n4 [style=dotted, constraint=false];

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: <title>function @main</title>
// SVG: <g id="group4">
// SVG: 2 MatMul
// SVG: </svg>

// IR-NOT: digraph
// IR: func.func @main
func.func @main(%x: tensor<4x4xf32>, %y: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %one = snippets.scalar 1.0 : f32
  %0 = onnx.node "MatMul"(%x, %x) {domain = "", version = 13 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = snippets.add %0, %one : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %2 = snippets.subtract %1, %y : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  func.return %2 : tensor<2x4x4xf32>
}
