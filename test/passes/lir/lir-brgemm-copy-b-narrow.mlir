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

// Rows that the call counts are many if the module does not say how many they may be.
// CHECK-LABEL: @dynamic
// CHECK: lir.brgemm_copy_b
// TUNED-LABEL: @dynamic
// TUNED: lir.brgemm_copy_b
func.func @dynamic(%x: tensor<?x100xf32>, %y: tensor<100x1040xf32>) -> tensor<?x1040xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x100xf32>, tensor<100x1040xf32>) -> tensor<?x1040xf32> {
    %0 = snippets.matmul %a, %b : (tensor<?x100xf32>, tensor<100x1040xf32>) -> tensor<?x1040xf32>
    snippets.yield %0 : tensor<?x1040xf32>
  }
  func.return %r : tensor<?x1040xf32>
}

// -----

// Few columns of a product of arrays.
// CHECK-LABEL: @few_columns
// CHECK: lir.brgemm_copy_b
// TUNED-LABEL: @few_columns
// TUNED: lir.brgemm_copy_b
module {
  func.func @few_columns(%x: tensor<36x?xf32, #lir.sizes<?0>>, %y: tensor<?x128xf32, #lir.sizes<?0>>) -> tensor<36x128xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<?x128xf32, #lir.sizes<?0>>) -> tensor<36x128xf32> {
      %0 = snippets.matmul %a, %b : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<?x128xf32, #lir.sizes<?0>>) -> tensor<36x128xf32>
      snippets.yield %0 : tensor<36x128xf32>
    }
    func.return %r : tensor<36x128xf32>
  }
}

// -----

// Twin: what the product multiplies is computed in the kernel, as the weights of an attention.
// CHECK-LABEL: @of_an_attention
// CHECK-NOT: lir.brgemm_copy_b
// TUNED-LABEL: @of_an_attention
// TUNED-NOT: lir.brgemm_copy_b
module {
  func.func @of_an_attention(%x: tensor<36x?xf32, #lir.sizes<?0>>, %y: tensor<?x128xf32, #lir.sizes<?0>>) -> tensor<36x128xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<?x128xf32, #lir.sizes<?0>>) -> tensor<36x128xf32> {
      %1 = snippets.exp %a : tensor<36x?xf32, #lir.sizes<?0>>
      %0 = snippets.matmul %1, %b : (tensor<36x?xf32, #lir.sizes<?0>>, tensor<?x128xf32, #lir.sizes<?0>>) -> tensor<36x128xf32>
      snippets.yield %0 : tensor<36x128xf32>
    }
    func.return %r : tensor<36x128xf32>
  }
}
