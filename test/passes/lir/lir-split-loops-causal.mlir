// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-llvm' --emit-stage=lir-split-loops --explain=lir-split-loops -o /dev/null --split-input-file 2>&1 | filecheck %s

// The keys of a row end at a diagonal: blocks of 64 terms, so that all loops over keys can end near it.
// CHECK: work 512: blocks of 64
func.func @causal(%q: tensor<512x8xf32>, %k: tensor<512x8xf32>, %v: tensor<512x5xf32>) -> tensor<512x5xf32> {
  %0 = snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64} : (tensor<512x8xf32>, tensor<512x8xf32>) -> tensor<512x512xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<512x512xf32>
  %2 = snippets.matmul %1, %v : (tensor<512x512xf32>, tensor<512x5xf32>) -> tensor<512x5xf32>
  func.return %2 : tensor<512x5xf32>
}

// -----

// Twin: all keys are needed.
// CHECK: work 512: blocks of 128
func.func @all(%q: tensor<512x8xf32>, %k: tensor<512x8xf32>, %v: tensor<512x5xf32>) -> tensor<512x5xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<512x8xf32>, tensor<512x8xf32>) -> tensor<512x512xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<512x512xf32>
  %2 = snippets.matmul %1, %v : (tensor<512x512xf32>, tensor<512x5xf32>) -> tensor<512x5xf32>
  func.return %2 : tensor<512x5xf32>
}

// -----

// The same with a remainder: blocks of 50 would end near no diagonal.
// CHECK: work 500: blocks of 64
func.func @causal_rest(%q: tensor<500x8xf32>, %k: tensor<500x8xf32>, %v: tensor<500x5xf32>) -> tensor<500x5xf32> {
  %0 = snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64} : (tensor<500x8xf32>, tensor<500x8xf32>) -> tensor<500x500xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<500x500xf32>
  %2 = snippets.matmul %1, %v : (tensor<500x500xf32>, tensor<500x5xf32>) -> tensor<500x5xf32>
  func.return %2 : tensor<500x5xf32>
}

// -----

// Twin: all keys are needed, so blocks are equal.
// CHECK: work 500: blocks of 125
func.func @all_rest(%q: tensor<500x8xf32>, %k: tensor<500x8xf32>, %v: tensor<500x5xf32>) -> tensor<500x5xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<500x8xf32>, tensor<500x8xf32>) -> tensor<500x500xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<500x500xf32>
  %2 = snippets.matmul %1, %v : (tensor<500x500xf32>, tensor<500x5xf32>) -> tensor<500x5xf32>
  func.return %2 : tensor<500x5xf32>
}
