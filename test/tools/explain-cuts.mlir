// What the cost model says of each candidate for a kernel beside nodes that onnxruntime runs.
// RUN: snippets-opt %s --explain -o %t 2>&1 | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=1}' --explain -o %t 2>&1 | filecheck %s
// RUN: snippets-opt %S/../../docs/examples/mlp.onnx --explain -o %t 2>&1 | filecheck %s --check-prefix MODEL
// RUN: snippets-opt %S/../../docs/examples/mlp.onnx -p snippets-tokenize --explain -o %t 2>&1 | filecheck %s --check-prefix MODEL
// RUN: snippets-opt %S/../../docs/examples/select.mlir --explain -o %t 2>&1 | filecheck %s --check-prefix ALONE
// RUN: snippets-run %s --report | filecheck %s --check-prefix REPORT
// RUN: snippets-run %S/../../docs/examples/mlp.onnx --shape x=64x32 --report | filecheck %s --check-prefix MODEL-REPORT

func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = onnx.node "Hardmax"(%x) {domain = "", version = 13 : i64, node_name = "first"}
      : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = snippets.exp %0 : tensor<8x16xf32>
  %2 = snippets.abs %1 : tensor<8x16xf32>
  func.return %2 : tensor<8x16xf32>
}

// CHECK:      {{.*}}explain-cuts.mlir:13:3: remark: kernel: snippets.exp, snippets.abs: a kernel saves {{.*}} us, the cut of the session costs {{.*}} us
// CHECK:      explain-cuts.mlir:11:3: remark: onnx.Hardmax 'first' not tokenized:

// MODEL:      {{.*}}mlp.onnx: remark: {{kernel|engine}}: 'layer1', 'bias1', 'gelu_scale', 'gelu_erf' and 5 more (snippets.matmul, {{.*}} and 5 more): a kernel saves {{.*}} us, the cut of the session costs {{.*}}; dynamic dims count as 64
// MODEL-NEXT: {{.*}}mlp.onnx: remark: {{kernel|engine}}: 'layer2', 'bias2' (snippets.matmul, snippets.add): a kernel saves
// MODEL-NEXT: {{.*}}mlp.onnx: remark: {{kernel|engine}}: 'classes' (snippets.softmax): a kernel saves

// ALONE-NOT:  the cut of the session

// REPORT:     candidate {{.*}}explain-cuts.mlir:13:3: kernel: snippets.exp, snippets.abs: a kernel saves

// MODEL-REPORT: candidate {{kernel|engine}}: 'layer1', 'bias1', {{.*}}: a kernel saves
