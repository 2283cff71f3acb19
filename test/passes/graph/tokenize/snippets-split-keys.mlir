// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-split-keys' --split-input-file --explain=snippets-split-keys 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// PLAN: scores of 90x20000 in 10 blocks of 2000 keys
// CHECK-LABEL: func.func @long(
// CHECK: snippets.subgraph (%{{.*}} = %q, %{{.*}} = %k, %{{.*}} = %m, %{{.*}} = %v) {{.*}} -> (tensor<10x90x1xf32>, tensor<10x90x1xf32>, tensor<10x90x5xf32>) {
// CHECK: snippets.reshape {{.*}} -> tensor<4x10x2000xf32>
// CHECK: snippets.transpose {{.*}} {permutation = array<i64: 1, 0, 2>} : (tensor<4x10x2000xf32>) -> tensor<10x4x2000xf32>
// CHECK: snippets.matmul {{.*}} (tensor<1x90x4xf32>, tensor<10x4x2000xf32>) -> tensor<10x90x2000xf32>
// CHECK: snippets.reshape {{.*}} : (tensor<20000xf32>) -> tensor<10x1x2000xf32>
// CHECK: snippets.matmul {{.*}} (tensor<10x90x2000xf32>, tensor<10x2000x5xf32>) -> tensor<10x90x5xf32>
// CHECK: snippets.yield
// CHECK-NOT: 20000
func.func @long(%q: tensor<90x4xf32>, %k: tensor<4x20000xf32>, %v: tensor<20000x5xf32>, %m: tensor<20000xf32>) -> tensor<90x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<90x4xf32>, tensor<4x20000xf32>) -> tensor<90x20000xf32>
  %t = snippets.add %s, %m : (tensor<90x20000xf32>, tensor<20000xf32>) -> tensor<90x20000xf32>
  %p = snippets.softmax %t {axis = 1 : i64} : tensor<90x20000xf32>
  %o = snippets.matmul %p, %v : (tensor<90x20000xf32>, tensor<20000x5xf32>) -> tensor<90x5xf32>
  func.return %o : tensor<90x5xf32>
}

// -----

// No divisor: the last block has fewer keys and is a kernel of its own.
// PLAN: scores of 32x19997 in 9 blocks of 2048 keys and one of 1565
// CHECK-LABEL: func.func @prime(
// CHECK: snippets.slice %k {starts = array<i64: 0, 0>, {{.*}} -> tensor<4x18432xf32>
// CHECK: snippets.slice %v {starts = array<i64: 0, 0>, {{.*}} -> tensor<18432x5xf32>
// CHECK: snippets.slice %m {starts = array<i64: 0>, {{.*}} -> tensor<18432xf32>
// CHECK: snippets.slice %k {starts = array<i64: 0, 18432>, {{.*}} -> tensor<4x1565xf32>
// CHECK: snippets.slice %v {starts = array<i64: 18432, 0>, {{.*}} -> tensor<1565x5xf32>
// CHECK: snippets.slice %m {starts = array<i64: 18432>, {{.*}} -> tensor<1565xf32>
// CHECK: snippets.subgraph {{.*}} -> (tensor<9x32x1xf32>, tensor<9x32x1xf32>, tensor<9x32x5xf32>) {
// CHECK: snippets.subgraph {{.*}} -> (tensor<1x32x1xf32>, tensor<1x32x1xf32>, tensor<1x32x5xf32>) {
// CHECK: snippets.matmul {{.*}} -> tensor<1x32x1565xf32>
// CHECK: snippets.matmul {{.*}} -> tensor<1x32x5xf32>
// CHECK: snippets.yield
// CHECK-NOT: 19997
func.func @prime(%q: tensor<32x4xf32>, %k: tensor<4x19997xf32>, %v: tensor<19997x5xf32>, %m: tensor<19997xf32>) -> tensor<32x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<32x4xf32>, tensor<4x19997xf32>) -> tensor<32x19997xf32>
  %t = snippets.add %s, %m : (tensor<32x19997xf32>, tensor<19997xf32>) -> tensor<32x19997xf32>
  %p = snippets.softmax %t {axis = 1 : i64} : tensor<32x19997xf32>
  %o = snippets.matmul %p, %v : (tensor<32x19997xf32>, tensor<19997x5xf32>) -> tensor<32x5xf32>
  func.return %o : tensor<32x5xf32>
}

// -----

// A block of rows of these scores fits; 31 rows do not pay for the slices of 19997 keys, a prime; the weights of the keys are returned; they
// are changed after the softmax.
// PLAN-COUNT-4: no attention is taken in blocks of keys
// CHECK-LABEL: func.func @short(
// CHECK-NOT: snippets.subgraph
func.func @short(%q: tensor<90x4xf32>, %k: tensor<4x16384xf32>, %v: tensor<16384x5xf32>) -> tensor<90x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<90x4xf32>, tensor<4x16384xf32>) -> tensor<90x16384xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<90x16384xf32>
  %o = snippets.matmul %p, %v : (tensor<90x16384xf32>, tensor<16384x5xf32>) -> tensor<90x5xf32>
  func.return %o : tensor<90x5xf32>
}
func.func @few_rows(%q: tensor<31x4xf32>, %k: tensor<4x19997xf32>, %v: tensor<19997x5xf32>) -> tensor<31x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<31x4xf32>, tensor<4x19997xf32>) -> tensor<31x19997xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<31x19997xf32>
  %o = snippets.matmul %p, %v : (tensor<31x19997xf32>, tensor<19997x5xf32>) -> tensor<31x5xf32>
  func.return %o : tensor<31x5xf32>
}
func.func @returned(%q: tensor<90x4xf32>, %k: tensor<4x20000xf32>, %v: tensor<20000x5xf32>) -> (tensor<90x5xf32>, tensor<90x20000xf32>) {
  %s = snippets.matmul %q, %k : (tensor<90x4xf32>, tensor<4x20000xf32>) -> tensor<90x20000xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<90x20000xf32>
  %o = snippets.matmul %p, %v : (tensor<90x20000xf32>, tensor<20000x5xf32>) -> tensor<90x5xf32>
  func.return %o, %p : tensor<90x5xf32>, tensor<90x20000xf32>
}
func.func @changed(%q: tensor<90x4xf32>, %k: tensor<4x20000xf32>, %v: tensor<20000x5xf32>) -> tensor<90x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<90x4xf32>, tensor<4x20000xf32>) -> tensor<90x20000xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<90x20000xf32>
  %r = snippets.relu %p : tensor<90x20000xf32>
  %o = snippets.matmul %r, %v : (tensor<90x20000xf32>, tensor<20000x5xf32>) -> tensor<90x5xf32>
  func.return %o : tensor<90x5xf32>
}
