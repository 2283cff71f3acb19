// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-extract-loop-invariants,lir-rematerialize{later=1 least=0}' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-extract-loop-invariants,lir-rematerialize{arrays=1 later=1 least=0}' --split-input-file | filecheck %s --check-prefix=ONE
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-extract-loop-invariants,lir-rematerialize{later=1 least=4000}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-extract-loop-invariants,lir-rematerialize{later=2 least=0}' --split-input-file | filecheck %s --check-prefix=TWO
// RUN: snippets-opt %s -p 'snippets-set-target{target=aarch64-neon},convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-extract-loop-invariants,lir-rematerialize' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: not snippets-opt %s -p 'lir-rematerialize{least=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not snippets-opt %s -p 'lir-rematerialize{arrays=0}' --split-input-file 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-rematerialize{later=1 least=0}' --split-input-file 2>&1 | filecheck %s --check-prefix=STAGE

// NEGATIVE: error: {{.*}}expected bytes, or -1 for the target's, found least=-2
// NONE: error: {{.*}}expected one array or more, found arrays=0 later=-1
// STAGE: error: {{.*}}expected @{{.*}} at stage marked, found "accessed"

// The sum of the inputs is computed in the first loop, which waits for them, and in the second one, which therefore has two
// loads for one. What it differs by from the mean is kept for the third loop: two loads would be no better than the store.
// With one array the sum is kept, and the difference reads it twice; with two in later loops, too, no loop finds a buffer.
// CHECK-LABEL: lir.kernel
// CHECK: %[[M1:.*]] = snippets.add %{{.*}}, %{{.*}} {lir.loops = array<i64: 0, 1>
// CHECK: lir.horizon
// CHECK: %[[M2:.*]] = snippets.add %{{.*}}, %{{.*}} {lir.loops = array<i64: 0, 2>
// CHECK-NEXT: %[[D2:.*]] = snippets.subtract %[[M2]], %[[MEAN:.*]] {lir.loops = array<i64: 0, 2>
// CHECK-NEXT: snippets.abs %[[D2]]
// CHECK: lir.horizon
// CHECK-NEXT: snippets.divide %[[D2]]
// ONE-LABEL: lir.kernel
// ONE: %[[A:.*]] = snippets.add
// ONE: snippets.subtract %[[A]], %[[MEAN:.*]] {lir.loops = array<i64: 0, 2>
// ONE-NOT: snippets.add
// ONE: %[[D:.*]] = snippets.subtract %[[A]], %[[MEAN]] {lir.loops = array<i64: 0, 3>
// ONE-NEXT: snippets.divide %[[D]]
// TWO-LABEL: lir.kernel
// TWO-COUNT-3: snippets.add
// TWO-NEXT: %[[D:.*]] = snippets.subtract {{.*}} {lir.loops = array<i64: 0, 3>
// TWO-NEXT: snippets.divide %[[D]]
// NEVER-LABEL: lir.kernel
// NEVER: %[[D:.*]] = snippets.subtract {{.*}} {lir.loops = array<i64: 0, 2>
// NEVER-NOT: snippets.subtract
// NEVER: snippets.divide %[[D]]
func.func @mean(%x: tensor<3x100xf32>, %y: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x100xf32>, tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.add %a, %b : tensor<3x100xf32>
    %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %2 = snippets.subtract %0, %1 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    %3 = snippets.abs %2 : tensor<3x100xf32>
    %4 = snippets.reduce_max %3 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %5 = snippets.divide %2, %4 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %5 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}

// -----

// Does not fire (T1): exp is dearer than what it would save, and so is a value that needs it; but the value that is kept
// may be read again.
// CHECK-LABEL: lir.kernel
// CHECK: snippets.exp
// CHECK-NOT: snippets.exp
// CHECK: %[[R:.*]] = snippets.add %[[E:.*]], %[[E]] {lir.loops = array<i64: 0, 2>
// CHECK-NEXT: snippets.divide %[[R]]
func.func @dear(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.exp %a : tensor<3x100xf32>
    %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %2 = snippets.add %0, %0 : tensor<3x100xf32>
    %3 = snippets.divide %2, %1 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %3 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}

// -----

// Does not fire (T2): the loop that computes exp has room for a store. The first program has none in that loop.
// CHECK-LABEL: lir.kernel
// CHECK: snippets.subtract
// CHECK-NEXT: snippets.exp
// CHECK-NOT: snippets.subtract
func.func @busy(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %1 = snippets.subtract %a, %0 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    %2 = snippets.exp %1 : tensor<3x100xf32>
    %3 = snippets.reduce_sum %2 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %4 = snippets.divide %1, %3 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %4 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}

// -----

// Does not fire (T1): four products and sums are more than a load.
// CHECK-LABEL: lir.kernel
// CHECK-COUNT-4: snippets.multiply
// CHECK-NOT: snippets.multiply
// ONE-LABEL: lir.kernel
// ONE-COUNT-4: snippets.multiply
// ONE-NOT: snippets.multiply
func.func @long(%x: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.multiply %a, %a : tensor<3x100xf32>
    %1 = snippets.multiply %0, %a : tensor<3x100xf32>
    %2 = snippets.multiply %1, %0 : tensor<3x100xf32>
    %3 = snippets.multiply %2, %1 : tensor<3x100xf32>
    %4 = snippets.reduce_sum %3 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %5 = snippets.divide %3, %4 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %5 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}

// -----

// Does not fire (T2): three arrays are read for one.
// CHECK-LABEL: lir.kernel
// CHECK-COUNT-2: snippets.add
// CHECK-NOT: snippets.add
func.func @wide(%x: tensor<3x100xf32>, %y: tensor<3x100xf32>, %z: tensor<3x100xf32>) -> tensor<3x100xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<3x100xf32>, tensor<3x100xf32>, tensor<3x100xf32>) -> tensor<3x100xf32> {
    %0 = snippets.add %a, %b : tensor<3x100xf32>
    %1 = snippets.add %0, %c : tensor<3x100xf32>
    %2 = snippets.reduce_sum %1 {axes = array<i64: 1>, keep_dims} : (tensor<3x100xf32>) -> tensor<3x1xf32>
    %3 = snippets.divide %1, %2 : (tensor<3x100xf32>, tensor<3x1xf32>) -> tensor<3x100xf32>
    snippets.yield %3 : tensor<3x100xf32>
  }
  func.return %r : tensor<3x100xf32>
}
