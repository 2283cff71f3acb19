// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C1: expected 2 dimension and 0 symbol operands of the access map, found 1}}
  %0 = "affine.load"(%A, %i) <{map = affine_map<(d0, d1) -> (d0)>}> : (memref<8xf32>, index) -> f32
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %n: i32) {
  affine.for %i = 0 to 4 {
    %m = arith.index_cast %n : i32 to index
    // expected-error @+1 {{C2: operand 0 of the access map cannot be a dimension}}
    %0 = affine.load %A[%m] : memref<8xf32>
  }
  func.return
}

// -----

func.func @f(%A: memref<8xf32>) {
  affine.for %i = 0 to 4 {
    // expected-error @+1 {{C3: operand 0 of the access map cannot be a symbol}}
    %0 = affine.load %A[symbol(%i)] : memref<8xf32>
  }
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C4: expected 1 subscripts of memref<8xf32>, found 2}}
  %0 = affine.load %A[%i, %i] : memref<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C5: expected elements of memref<8xf32>, found vector<4xf64>}}
  %0 = affine.vector_load %A[%i] : memref<8xf32>, vector<4xf64>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C6: expected a locality from 0 to 3, found 4}}
  affine.prefetch %A[%i], read, locality<4>, data : memref<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C4: expected 1 subscripts of memref<8xf32>, found 2}}
  affine.prefetch %A[%i, %i], read, locality<3>, data : memref<8xf32>
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error @+1 {{C7: expected a map with one result, found 2}}
  %0 = affine.apply affine_map<(d0) -> (d0, d0)>(%i)
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error @+1 {{C7: expected a map with a result, found none}}
  %0 = affine.min affine_map<() -> ()>()
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error @+1 {{expected 1 dimension and 0 symbol operands, found 0 and 1}}
  %0 = affine.min affine_map<(d0) -> (d0)>()[%i]
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error @+1 {{expected a positive step, found -1}}
  affine.for %k = 0 to 4 step -1 {
  }
  func.return
}

// -----

func.func @f(%i: index) {
  // expected-error @+1 {{expected 'min' before a bound with several results}}
  affine.for %k = 0 to affine_map<(d0) -> (d0, d0 + 4)>(%i) {
  }
  func.return
}

// -----

func.func @f(%x: f32) -> f32 {
  // expected-error @+1 {{C5: expected the block to end with affine.yield of (f32), found ()}}
  %r = affine.for %k = 0 to 4 iter_args(%a = %x) -> f32 {
  }
  func.return %r : f32
}

// -----

func.func @f(%x: f32) -> f32 {
  affine.for %k = 0 to 4 {
    // expected-error @+1 {{C4: expected an else region of an op with results, found none}}
    %r = affine.if affine_set<(d0) : (d0 >= 0)>(%k) -> f32 {
      affine.yield %x : f32
    }
  }
  func.return %x : f32
}

// -----

func.func @f() {
  // expected-error @+1 {{C4: expected lower bounds of 2 loops, found groups [1] of 1 expressions}}
  affine.parallel (%i, %j) = (0) to (8, 8) {
  }
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{C4: expected a positive step of each of 1 loops, found [0]}}
  affine.parallel (%i) = (0) to (8) step (0) {
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{C6: expected a reduction of each of 1 results, found []}}
  %0 = affine.parallel (%i) = (0) to (8) reduce () -> f32 {
    affine.yield %x : f32
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error @+1 {{found 'addx'}}
  %0 = affine.parallel (%i) = (0) to (8) reduce ("addx") -> f32 {
    affine.yield %x : f32
  }
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index, %j: index) {
  // expected-error @+1 {{expected a constant or a symbol as one factor of a product}}
  %0 = affine.load %A[%i * %j] : memref<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{expected a positive constant after 'mod'}}
  %0 = affine.load %A[%i mod 0] : memref<8xf32>
  func.return
}
