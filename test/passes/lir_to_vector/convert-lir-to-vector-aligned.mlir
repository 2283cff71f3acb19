// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-lir,lir-to-vector' --split-input-file | filecheck %s
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - -p 'snippets-set-target{target=x86-64-avx2},snippets-to-lir,lir-to-vector' | filecheck %s --check-prefix=NARROW
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - -p 'snippets-set-target{target=x86-64-avx512 streaming=always},snippets-to-lir,lir-to-vector' | filecheck %s --check-prefix=STREAM
// RUN: sed '/^\/\/ -----/,$d' %s | snippets-opt - -p 'snippets-set-target{target=x86-64-avx512},snippets-to-llvm' | filecheck %s --check-prefix=KEPT

// Vectors of 32 bytes: half of them are on one line anyway (A5). Stores that stream: their loops
// are shifted to where those are aligned (A4).
// NARROW-NOT: snippets.aligned
// STREAM-NOT: snippets.aligned

// The first input that is loaded in whole vectors of 64 bytes: bytes of 16 lanes are not.
// CHECK-LABEL: func.func @subgraph_0
// CHECK-SAME: snippets.cost = {{[0-9]+}} : i64, snippets.space = {{[0-9]+}} : i64, snippets.aligned = array<i64: 1, 4>}
// KEPT-LABEL: llvm.func @subgraph_0
// KEPT-SAME: snippets.aligned = array<i64: 1, 4>
func.func @computes(%m: tensor<1000xi1>, %x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = snippets.select %m, %x, %y : (tensor<1000xi1>, tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
  %1 = snippets.sigmoid %0 : tensor<1000xf32>
  func.return %1 : tensor<1000xf32>
}

// -----

// All dims are one; f64 takes two registers for the 16 lanes; a scalar stays where it is.
// CHECK-LABEL: func.func @subgraph_0
// CHECK-SAME: snippets.domain = 1000 : i64, snippets.grain = 16 : i64
// CHECK-SAME: snippets.aligned = array<i64: 0, 8>
func.func @wide(%x: tensor<10x100xf64>, %s: tensor<1xf64>) -> tensor<10x100xf64> {
  %0 = snippets.multiply %x, %s : (tensor<10x100xf64>, tensor<1xf64>) -> tensor<10x100xf64>
  %1 = snippets.exp %0 : tensor<10x100xf64>
  func.return %1 : tensor<10x100xf64>
}

// -----

// Does not fire: it computes little (A6), and is unrolled (A1).
// CHECK-LABEL: func.func @subgraph_0
// CHECK-NOT: snippets.aligned
func.func @little(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = snippets.multiply %x, %x : tensor<1000xf32>
  %1 = snippets.relu %0 : tensor<1000xf32>
  func.return %1 : tensor<1000xf32>
}

// -----

// Does not fire: a loop over rows and one in it (A1).
// CHECK-LABEL: func.func @subgraph_0
// CHECK-NOT: snippets.aligned
func.func @rows(%x: tensor<20x50xf32>, %y: tensor<50xf32>) -> tensor<20x50xf32> {
  %0 = snippets.add %x, %y : (tensor<20x50xf32>, tensor<50xf32>) -> tensor<20x50xf32>
  %1 = snippets.sigmoid %0 : tensor<20x50xf32>
  func.return %1 : tensor<20x50xf32>
}

// -----

// Does not fire: a row is summed (A1, A2).
// CHECK-LABEL: func.func @subgraph_0
// CHECK-NOT: snippets.aligned
func.func @sum(%x: tensor<1000xf32>) -> tensor<1000xf32> {
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<1000xf32>
  func.return %0 : tensor<1000xf32>
}

// -----

// Does not fire: nothing is loaded in vectors of 64 bytes (A5).
// CHECK-LABEL: func.func @subgraph_0
// CHECK-NOT: snippets.aligned
func.func @bytes(%m: tensor<1000xi1>, %s: tensor<1xf32>, %t: tensor<1xf32>) -> tensor<1000xf32> {
  %0 = snippets.select %m, %s, %t : (tensor<1000xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<1000xf32>
  %1 = snippets.sigmoid %0 : tensor<1000xf32>
  func.return %1 : tensor<1000xf32>
}
