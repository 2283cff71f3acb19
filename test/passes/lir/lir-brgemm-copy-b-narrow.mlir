// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-copy-b' --symbols --split-input-file | filecheck %s --check-prefix=TUNED
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-copy-b' --symbols --split-input-file | filecheck %s --check-prefix=PLAIN
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-copy-b' --symbols --split-input-file | filecheck %s

// A panel has 16 columns on AVX2: pieces of 64 bytes that lie 4160 bytes apart are copied.
// CHECK-LABEL: @narrow
// CHECK: #lir.loop<1, work 1040, inc 16, dim 0, parallel>
// CHECK: lir.brgemm_copy_b

// Panels of 64 columns and more are copied for CPUs with two units for multiply-adds of 64 bytes.
// TUNED-LABEL: @narrow
// TUNED: lir.brgemm_copy_b
// PLAIN-LABEL: @narrow
// PLAIN-NOT: lir.brgemm_copy_b
func.func @narrow(%x: tensor<36x100xf32>, %y: tensor<100x1040xf32>) -> tensor<36x1040xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x100xf32>, tensor<100x1040xf32>) -> tensor<36x1040xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x100xf32>, tensor<100x1040xf32>) -> tensor<36x1040xf32>
    snippets.yield %0 : tensor<36x1040xf32>
  }
  func.return %r : tensor<36x1040xf32>
}

// -----

// Few rows do not pay for the copy.
// CHECK-LABEL: @few
// CHECK-NOT: lir.brgemm_copy_b
// TUNED-LABEL: @few
// TUNED-NOT: lir.brgemm_copy_b
func.func @few(%x: tensor<31x100xf32>, %y: tensor<100x1040xf32>) -> tensor<31x1040xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<31x100xf32>, tensor<100x1040xf32>) -> tensor<31x1040xf32> {
    %0 = snippets.matmul %a, %b : (tensor<31x100xf32>, tensor<100x1040xf32>) -> tensor<31x1040xf32>
    snippets.yield %0 : tensor<31x1040xf32>
  }
  func.return %r : tensor<31x1040xf32>
}

// -----

// Rows that the call counts may be few.
// CHECK-LABEL: @dynamic
// CHECK-NOT: lir.brgemm_copy_b
// TUNED-LABEL: @dynamic
// TUNED-NOT: lir.brgemm_copy_b
func.func @dynamic(%x: tensor<?x100xf32>, %y: tensor<100x1040xf32>) -> tensor<?x1040xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x100xf32>, tensor<100x1040xf32>) -> tensor<?x1040xf32> {
    %0 = snippets.matmul %a, %b : (tensor<?x100xf32>, tensor<100x1040xf32>) -> tensor<?x1040xf32>
    snippets.yield %0 : tensor<?x1040xf32>
  }
  func.return %r : tensor<?x1040xf32>
}
