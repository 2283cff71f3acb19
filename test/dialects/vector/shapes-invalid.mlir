// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C1: expected a permutation of 2 dimensions, found [0, 0]}}
  %0 = vector.transpose %a, [0, 0] : vector<4x8xf32> to vector<4x4xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C2: expected sizes [8, 4], found vector<4x8xf32>}}
  %0 = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<4x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C1: expected 32 elements, found vector<16xf32>}}
  %0 = vector.shape_cast %a : vector<4x8xf32> to vector<16xf32>
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{C1: expected a result of f32, found vector<4xf64>}}
  %0 = vector.broadcast %a : f32 to vector<4xf64>
  func.return
}

// -----

func.func @f(%a: vector<3xf32>) {
  // expected-error @+1 {{C2: expected sizes that vector<3xf32> repeats to, found vector<4xf32>}}
  %0 = vector.broadcast %a : vector<3xf32> to vector<4xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C1: expected at most 2 sizes and strides of 1, found [2] and [2]}}
  %0 = vector.extract_strided_slice %a {offsets = [0], sizes = [2], strides = [2]} : vector<4x8xf32> to vector<2x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C2: expected a slice inside [4, 8], found offsets [3] and sizes [2]}}
  %0 = vector.extract_strided_slice %a {offsets = [3], sizes = [2], strides = [1]} : vector<4x8xf32> to vector<2x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C3: expected sizes [2, 8], found vector<2x4xf32>}}
  %0 = vector.extract_strided_slice %a {offsets = [1], sizes = [2], strides = [1]} : vector<4x8xf32> to vector<2x4xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>, %b: vector<2x4xf32>) {
  // expected-error @+1 {{C2: expected a slice inside [4, 8], found offsets [3, 0] and sizes [2, 4]}}
  %0 = vector.insert_strided_slice %b, %a {offsets = [3, 0], strides = [1, 1]} : vector<2x4xf32> into vector<4x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C1: expected a result of type vector<4x16xf32>, found vector<8x8xf32>}}
  %0 = vector.interleave %a, %a : vector<4x8xf32> -> vector<8x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>) {
  // expected-error @+1 {{C1: expected a source of type vector<2x16xf32>, found vector<4x8xf32>}}
  %0, %1 = vector.deinterleave %a : vector<4x8xf32> -> vector<2x8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>, %b: vector<4xf32>) {
  // expected-error @+1 {{C1: expected different dimensions of vector<4x8xf32>, found [1, 1]}}
  %0 = vector.multi_reduction <add>, %a, %b [1, 1] : vector<4x8xf32> to vector<4xf32>
  func.return
}

// -----

func.func @f(%a: vector<4x8xf32>, %b: vector<8xf32>) {
  // expected-error @+1 {{C2: expected a result of vector<4xf32>, found vector<8xf32>}}
  %0 = vector.multi_reduction <add>, %a, %b [1] : vector<4x8xf32> to vector<8xf32>
  func.return
}

// -----

func.func @f(%a: vector<4xf32>, %s: f32) {
  // expected-error @+1 {{C1: expected three maps over 1 iterators of the ranks of the operands}}
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} %a, %a, %s : vector<4xf32>, vector<4xf32> into f32
  func.return
}

// -----

func.func @f(%a: vector<4xf32>, %b: vector<8xf32>, %s: f32) {
  // expected-error @+1 {{C2: expected sizes [8] of the iterators, found vector<4xf32>}}
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} %a, %b, %s : vector<4xf32>, vector<8xf32> into f32
  func.return
}

// -----

func.func @f(%a: vector<4xf32>, %s: f32) {
  // expected-error @+1 {{C3: expected an accumulator walked by iterators [0]}}
  %0 = vector.contract {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["parallel"]} %a, %a, %s : vector<4xf32>, vector<4xf32> into f32
  func.return
}

// -----

func.func @f(%a: vector<2x4xf32>, %b: vector<8xf32>) {
  // expected-error @+1 {{C1: expected two vectors of rank 1 and a result of their sizes}}
  %0 = vector.outerproduct %a, %b : vector<2x4xf32>, vector<8xf32>
  func.return
}

// -----

func.func @f(%A: memref<8x8xf32>, %i: index) {
  // expected-error @+1 {{C1: expected 2 indices of memref<8x8xf32>, found 1}}
  %0 = vector.load %A[%i] : memref<8x8xf32>, vector<4xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C2: expected elements of memref<8xf32>, found vector<4xf64>}}
  %0 = vector.load %A[%i] : memref<8xf32>, vector<4xf64>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index, %m: vector<8xi1>, %p: vector<4xf32>) {
  // expected-error @+1 {{C3: expected the shape of vector<4xf32>, found vector<8xi1>}}
  %0 = vector.maskedload %A[%i], %m, %p : memref<8xf32>, vector<8xi1>, vector<4xf32> into vector<4xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index, %m: vector<4xi1>, %p: vector<2xf32>) {
  // expected-error @+1 {{C3: expected a pass-through of vector<4xf32>, found vector<2xf32>}}
  %0 = "vector.maskedload"(%A, %i, %m, %p) : (memref<8xf32>, index, vector<4xi1>, vector<2xf32>) -> vector<4xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index, %m: vector<4xi1>, %p: vector<4xf32>, %v: vector<8xi32>) {
  // expected-error @+1 {{C3: expected the shape of vector<4xf32>, found vector<8xi32>}}
  vector.scatter %A[%i] [%v], %m, %p : memref<8xf32>, vector<8xi32>, vector<4xi1>, vector<4xf32>
  func.return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index) {
  // expected-error @+1 {{C4: expected a power of two as alignment, found 3}}
  %0 = vector.load %A[%i] {alignment = 3 : i64} : memref<8xf32>, vector<4xf32>
  func.return
}

// -----

func.func @f(%s: f32) {
  // expected-error @+1 {{C1: expected a value or a string, found both}}
  "vector.print"(%s) <{punctuation = #vector.punctuation<newline>, stringLiteral = "x"}> : (f32) -> ()
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{C1: expected no punctuation of a string, found comma}}
  vector.print str "x" punctuation <comma>
  func.return
}

// -----

func.func @f(%A: memref<8xf32, strided<[2]>>, %i: index) {
  // expected-error @+1 {{C5: expected memory whose last stride is 1, found memref<8xf32, strided<[2]>>}}
  %0 = vector.load %A[%i] : memref<8xf32, strided<[2]>>, vector<4xf32>
  func.return
}
