// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4 explain=true}' --explain 2> %t.plan | filecheck %s --check-prefix=REASON
// RUN: filecheck %s --input-file=%t.plan
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4}' | filecheck %s --check-prefix=LEFT

// Every loop here is left as it is.
// REASON: } {snippets.reason = "consecutive iterations do not take consecutive elements of %A"}
// LEFT-NOT: vector.
// LEFT-NOT: snippets.reason

// CHECK: remark: affine.for not vectorized: consecutive iterations do not take consecutive elements of %A
func.func @coefficient(%A: memref<64xf32>, %B: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %A[%i * 2] : memref<64xf32>
    affine.store %0, %B[%i] : memref<32xf32>
  }
  func.return
}

// The coefficient is -1, and the store steps backwards.
// CHECK: remark: affine.for not vectorized: consecutive iterations do not take consecutive elements of %B
func.func @backwards(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    affine.store %0, %B[-%i + 63] : memref<64xf32>
  }
  func.return
}

// (i + 3) + i = 2 i + 3, in two maps.
// CHECK: remark: affine.for not vectorized: consecutive iterations do not take consecutive elements of %A
func.func @hidden_coefficient(%A: memref<128xf32>, %B: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %j = affine.apply affine_map<(d0) -> (d0 + 3)>(%i)
    %k = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %j)
    %0 = affine.load %A[%k] : memref<128xf32>
    affine.store %0, %B[%i] : memref<32xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: consecutive iterations do not take consecutive elements of %A
func.func @quotient(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i floordiv 2] : memref<64xf32>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: consecutive iterations do not take consecutive elements of %A
func.func @remainder(%A: memref<16xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i mod 16] : memref<16xf32>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: its step is 2, lanes are 1 apart
func.func @step(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 step 2 {
    %0 = affine.load %A[%i] : memref<64xf32>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: iterations depend on one another through %A
func.func @recurrence(%A: memref<64xf32>) {
  affine.for %i = 1 to 64 {
    %0 = affine.load %A[%i - 1] : memref<64xf32>
    affine.store %0, %A[%i] : memref<64xf32>
  }
  func.return
}

// A store to one cell: the last iteration has to come last.
// CHECK: remark: affine.for not vectorized: iterations depend on one another through %A
func.func @fixed_cell(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %B[%i] : memref<64xf32>
    affine.store %0, %A[0] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: %A and %V may share memory
func.func @view(%A: memref<64xf32>) {
  %V = memref.reinterpret_cast %A to offset: [0], sizes: [64], strides: [1] : memref<64xf32> to memref<64xf32>
  affine.for %i = 1 to 64 {
    %0 = affine.load %A[%i - 1] : memref<64xf32>
    affine.store %0, %V[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: %A and %U may share memory
func.func @unknown_memory(%A: memref<64xf32>) {
  %U = func.call @somewhere() : () -> memref<64xf32>
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    affine.store %0, %U[%i] : memref<64xf32>
  }
  func.return
}
func.func private @somewhere() -> memref<64xf32>

// CHECK: remark: affine.for not vectorized: the innermost stride of %A is not known to be 1
func.func @layout(%A: memref<64xf32, strided<[2]>>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32, strided<[2]>>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// Rows that lie closer together than they are long have cells in common.
// CHECK: remark: affine.for not vectorized: different subscripts of %A may be one cell
func.func @rows_may_overlap(%A: memref<?x64xf32, strided<[?, 1], offset: ?>>, %i: index) {
  affine.for %j = 0 to 64 {
    %0 = affine.load %A[symbol(%i) + 1, %j] : memref<?x64xf32, strided<[?, 1], offset: ?>>
    affine.store %0, %A[symbol(%i), %j] : memref<?x64xf32, strided<[?, 1], offset: ?>>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: it carries values from one iteration to the next
func.func @carried(%A: memref<64xf32>, %x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%a = %x) -> (f32) {
    %0 = affine.load %A[%i] : memref<64xf32>
    %1 = arith.addf %a, %0 : f32
    affine.yield %1 : f32
  }
  func.return %s : f32
}

// CHECK: remark: affine.for not vectorized: the induction variable is in 2 subscripts of %A
func.func @diagonal(%A: memref<64x64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i, %i] : memref<64x64xf32>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: there is an affine.if in the loop
func.func @condition(%A: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<64xf32>
    }
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: there is a region of 'scf.if' in the loop
func.func @region(%A: memref<64xf32>, %x: f32, %c: i1) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    %1 = scf.if %c -> (f32) {
      scf.yield %0 : f32
    } else {
      scf.yield %x : f32
    }
    affine.store %1, %A[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: 'memref.load' may read or write memory in a way that is not known
func.func @other_access(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = memref.load %A[%i] : memref<64xf32>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: it takes %i, the index of a vectorized loop, as a value
func.func @index_as_value(%B: memref<64xi64>) {
  affine.for %i = 0 to 64 {
    %0 = arith.index_cast %i : index to i64
    affine.store %0, %B[%i] : memref<64xi64>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: it takes %j, the result of an affine.apply, as a value
func.func @applied_index_as_value(%B: memref<64xi64>) {
  affine.for %i = 0 to 64 {
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %0 = arith.index_cast %j : index to i64
    affine.store %0, %B[%i] : memref<64xi64>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: its map takes the result of an affine.apply
func.func @load_of_applied(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 60 {
    %j = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %0 = affine.load %A[%j + 1] : memref<64xf32>
    affine.store %0, %B[%i] : memref<64xf32>
  }
  func.return
}

// The lanes of %i would need different numbers of inner iterations. The inner loop stores to one
// cell of %B.
// CHECK: remark: affine.for not vectorized: its bounds differ between the lanes of a loop around it
// CHECK: remark: affine.for not vectorized: iterations depend on one another through %B
func.func @triangle(%A: memref<64x64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %k = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %0 = affine.load %A[%k, %i] : memref<64x64xf32>
      affine.store %0, %B[%i] : memref<64xf32>
    }
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: %A varies in dim 0 from the innermost, %B in dim 1
func.func @two_dims(%A: memref<64xf32>, %B: memref<64x1xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    affine.store %0, %B[%i, 0] : memref<64x1xf32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: there are no vectors of vector<4xf32>
func.func @vectors_already(%A: memref<64xvector<4xf32>>, %B: memref<64xvector<4xf32>>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xvector<4xf32>>
    affine.store %0, %B[%i] : memref<64xvector<4xf32>>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: 'math.ipowi' may trap in the lanes past the end of the loop
func.func @trap(%A: memref<64xi32>, %n: index, %x: i32) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<64xi32>
    %1 = math.ipowi %0, %x : i32
    affine.store %1, %A[%i] : memref<64xi32>
  }
  func.return
}

// CHECK: remark: affine.for not vectorized: step 1 times 4 does not fit into 64 bits
func.func @overflow(%A: memref<64xi32>, %x: i32) {
  affine.for %i = 9223372036854775800 to 9223372036854775806 {
    affine.store %x, %A[%i - 9223372036854775800] : memref<64xi32>
  }
  func.return
}

// One iteration, so that nothing is carried; but all lanes would store to one cell.
// CHECK: remark: affine.for not vectorized: %A is stored to without all vectorized loops in the subscripts
func.func @one_iteration(%A: memref<64xi32>, %x: i32) {
  affine.for %i = 0 to 1 {
    affine.store %x, %A[3] : memref<64xi32>
  }
  func.return
}
