// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-copy-b' --split-input-file | filecheck %s

// Rows that the call decides about, a page apart: copied from 12 of them on.
// CHECK-LABEL: @apart
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 12 : i64]]} {
  func.func @apart(%x: tensor<?x8xf32, #lir.sizes<?0>>, %y: tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x1024xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x1024xf32, #lir.sizes<?0>>
  }
}

// -----

// Fewer.
// CHECK-LABEL: @few
// CHECK-NOT: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64, 12 : i64]]} {
  func.func @few(%x: tensor<?x8xf32, #lir.sizes<?0>>, %y: tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1024xf32>) -> tensor<?x1024xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x1024xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x1024xf32, #lir.sizes<?0>>
  }
}

// -----

// They may be pages apart.
// CHECK-LABEL: @unknown
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 12 : i64]]} {
  func.func @unknown(%x: tensor<?x8xf32, #lir.sizes<?0>>, %y: tensor<8x?xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x?xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x?xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
      snippets.yield %0 : tensor<?x?xf32, #lir.sizes<?0, ?1>>
    }
    func.return %r : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  }
}

// -----

// There may be fewer.
// CHECK-LABEL: @unknown_few
// CHECK-NOT: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 11 : i64]]} {
  func.func @unknown_few(%x: tensor<?x8xf32, #lir.sizes<?0>>, %y: tensor<8x?xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x?xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x?xf32, #lir.sizes<?1>>) -> tensor<?x?xf32, #lir.sizes<?0, ?1>>
      snippets.yield %0 : tensor<?x?xf32, #lir.sizes<?0, ?1>>
    }
    func.return %r : tensor<?x?xf32, #lir.sizes<?0, ?1>>
  }
}

// -----

// Known rows of a matrix whose own rows may be pages apart.
// CHECK-LABEL: @known
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64]]} {
  func.func @known(%x: tensor<64x8xf32>, %y: tensor<8x?xf32, #lir.sizes<?0>>) -> tensor<64x?xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x8xf32>, tensor<8x?xf32, #lir.sizes<?0>>) -> tensor<64x?xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<64x8xf32>, tensor<8x?xf32, #lir.sizes<?0>>) -> tensor<64x?xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<64x?xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<64x?xf32, #lir.sizes<?0>>
  }
}

// -----

// They are not, and a panel is wider than this machine copies.
// CHECK-LABEL: @near
// CHECK-NOT: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 32 : i64]]} {
  func.func @near(%x: tensor<?x8xf32, #lir.sizes<?0>>, %y: tensor<8x1040xf32>) -> tensor<?x1040xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1040xf32>) -> tensor<?x1040xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1040xf32>) -> tensor<?x1040xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x1040xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x1040xf32, #lir.sizes<?0>>
  }
}

// -----

// Up to 2048 terms: wide panels.
// CHECK-LABEL: @terms
// CHECK: #lir.loop<1, work 1024, inc 64, dim 0, parallel>
// CHECK: work ?0, inc 1, dim 1
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64, 2049 : i64]]} {
  func.func @terms(%x: tensor<64x?xf32, #lir.sizes<?0>>, %y: tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
      %0 = snippets.matmul %a, %b : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32>
      snippets.yield %0 : tensor<64x1024xf32>
    }
    func.return %r : tensor<64x1024xf32>
  }
}

// -----

// Up to 16384: narrow ones.
// CHECK-LABEL: @many_terms
// CHECK: #lir.loop<1, work 1024, inc 16, dim 0, parallel>
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 2049 : i64, 16385 : i64]]} {
  func.func @many_terms(%x: tensor<64x?xf32, #lir.sizes<?0>>, %y: tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
      %0 = snippets.matmul %a, %b : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32>
      snippets.yield %0 : tensor<64x1024xf32>
    }
    func.return %r : tensor<64x1024xf32>
  }
}

// -----

// More: a panel might be larger than the caches.
// CHECK-LABEL: @any_terms
// CHECK-NOT: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 16385 : i64]]} {
  func.func @any_terms(%x: tensor<64x?xf32, #lir.sizes<?0>>, %y: tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
      %0 = snippets.matmul %a, %b : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<?x1024xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32>
      snippets.yield %0 : tensor<64x1024xf32>
    }
    func.return %r : tensor<64x1024xf32>
  }
}

// -----

// A transposed operand, by tiles of four terms.
// CHECK-LABEL: @any_terms_transposed
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64, 2049 : i64]]} {
  func.func @any_terms_transposed(%x: tensor<64x?xf32, #lir.sizes<?0>>, %y: tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
      %0 = snippets.matmul %a, %b {transpose_b} : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32>
      snippets.yield %0 : tensor<64x1024xf32>
    }
    func.return %r : tensor<64x1024xf32>
  }
}

// -----

// A transposed operand of any number of terms, by panels for 16384 of them.
// CHECK-LABEL: @most_terms_transposed
// CHECK: #lir.loop<1, work 1024, inc 16, dim 0, parallel>
// CHECK: lir.brgemm_copy_b
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 16385 : i64]]} {
  func.func @most_terms_transposed(%x: tensor<64x?xf32, #lir.sizes<?0>>, %y: tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32> {
      %0 = snippets.matmul %a, %b {transpose_b} : (tensor<64x?xf32, #lir.sizes<?0>>, tensor<1024x?xf32, #lir.sizes<?0>>) -> tensor<64x1024xf32>
      snippets.yield %0 : tensor<64x1024xf32>
    }
    func.return %r : tensor<64x1024xf32>
  }
}

// -----

// A module that states no ranges: many rows, and up to 2048 terms.
// CHECK-LABEL: @no_ranges
// CHECK: lir.brgemm_copy_b
module {
  func.func @no_ranges(%x: tensor<?x?xf32, #lir.sizes<?0, ?1>>, %y: tensor<?x1024xf32, #lir.sizes<?1>>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x1024xf32, #lir.sizes<?1>>) -> tensor<?x1024xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x?xf32, #lir.sizes<?0, ?1>>, tensor<?x1024xf32, #lir.sizes<?1>>) -> tensor<?x1024xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x1024xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x1024xf32, #lir.sizes<?0>>
  }
}

// -----

// Sixteen rows, whose right operand may have rows that are pages apart.
// CHECK-LABEL: @may_be_pages
// CHECK: lir.brgemm_copy_b
module {
  func.func @may_be_pages(%x: tensor<16x64xf32>, %y: tensor<64x?xf32, #lir.sizes<?0>>) -> tensor<16x?xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<16x64xf32>, tensor<64x?xf32, #lir.sizes<?0>>) -> tensor<16x?xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<16x64xf32>, tensor<64x?xf32, #lir.sizes<?0>>) -> tensor<16x?xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<16x?xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<16x?xf32, #lir.sizes<?0>>
  }
}

// -----

// Twin: eleven rows.
// CHECK-LABEL: @too_few
// CHECK-NOT: lir.brgemm_copy_b
module {
  func.func @too_few(%x: tensor<11x64xf32>, %y: tensor<64x?xf32, #lir.sizes<?0>>) -> tensor<11x?xf32, #lir.sizes<?0>> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<11x64xf32>, tensor<64x?xf32, #lir.sizes<?0>>) -> tensor<11x?xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<11x64xf32>, tensor<64x?xf32, #lir.sizes<?0>>) -> tensor<11x?xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<11x?xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<11x?xf32, #lir.sizes<?0>>
  }
}
