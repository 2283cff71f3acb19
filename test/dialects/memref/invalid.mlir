// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<8xf32>) {
  // expected-error @+1 {{C1: expected types that may agree, found memref<8xf32> and memref<4xf32>}}
  %0 = memref.cast %A : memref<8xf32> to memref<4xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %B: memref<8xf64>) {
  // expected-error @+1 {{C1: expected memrefs of one shape and element type}}
  memref.copy %A, %B : memref<8xf32> to memref<8xf64>
  func.return
}

// -----

func.func @f(%A: memref<8x16xf32>) {
  // expected-error @+1 {{C1: expected a permutation of 2 dimensions}}
  %0 = memref.transpose %A (a, b) -> (a, a) : memref<8x16xf32> to memref<16x8xf32>
  func.return
}

// -----

func.func @f(%A: memref<8x16xf32>) {
  // expected-error @+1 {{C2: expected a result of memref<16x8xf32, strided<[1, 16]>>, found memref<16x8xf32>}}
  %0 = memref.transpose %A (a, b) -> (b, a) : memref<8x16xf32> to memref<16x8xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %x: f64, %i: index) {
  // expected-error @+1 {{C1: expected 1 indices and a value of f32, found 1 and f64}}
  %0 = memref.atomic_rmw addf %x, %A[%i] : (f64, memref<8xf32>) -> f64
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %x: f32, %i: index) {
  // expected-error @+1 {{found 'addx'}}
  %0 = memref.atomic_rmw addx %x, %A[%i] : (f32, memref<8xf32>) -> f32
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %x: f32, %i: index) {
  // expected-error @+1 {{C2: expected a known kind, found 99}}
  %0 = "memref.atomic_rmw"(%x, %A, %i) <{kind = 99 : i64}> : (f32, memref<8xf32>, index) -> f32
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C1: expected 1 indices and a locality from 0 to 3, found 1 and 7}}
  memref.prefetch %A[%i], read, locality<7>, data : memref<8xf32>
  func.return
}

// -----

// expected-error @+1 {{C1: expected a static shape, found memref<?xf32>}}
memref.global @d : memref<?xf32>

// -----

// expected-error @+1 {{C2: expected a constant of tensor<4xf32>}}
"memref.global"() <{sym_name = "d", type = memref<4xf32>, initial_value = dense<1.0> : tensor<2xf32>}> : () -> ()
