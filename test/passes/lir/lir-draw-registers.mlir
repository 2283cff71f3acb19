// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-to-vector' --insert-pass=after:lir-assign-registers:'lir-draw-registers{path=%t.svg}' -o %t.mlir
// RUN: filecheck %s < %t.svg
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-to-vector' --insert-pass=after:lir-insert-loops:'lir-draw-registers{path=%t.none.svg}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not test -e %t.none.svg

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.relu %x : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}

// CHECK: <title>registers of kernel @subgraph_0, stage looped</title>
// CHECK: >gpr0</text>
// CHECK: >vec0</text>
// CHECK: = snippets.{{.*}}</text>
// CHECK: <title>gpr0: pointer: %x, ops
// NONE: error: {{.*}}@subgraph_0 has no registers; run lir-init-live-ranges and lir-assign-registers before
