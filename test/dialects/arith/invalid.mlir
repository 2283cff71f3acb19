// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%c: vector<4xi1>, %a: vector<8xf32>) {
  // expected-error @+1 {{C1: expected a condition of i1 or of the shape of vector<8xf32>, found vector<4xi1>}}
  %0 = arith.select %c, %a, %a : vector<4xi1>, vector<8xf32>
  func.return
}

// -----

func.func @f(%a: vector<8xf32>) {
  // expected-error @+1 {{C1: expected types of one shape, found vector<8xf32> and vector<4xi32>}}
  %0 = arith.fptosi %a : vector<8xf32> to vector<4xi32>
  func.return
}

// -----

func.func @f(%a: vector<8xi32>) {
  // expected-error @+1 {{C2: expected a wider result than vector<8xi32>, found vector<8xi32>}}
  %0 = arith.extsi %a : vector<8xi32> to vector<8xi32>
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{C3: expected a narrower result than f32, found f64}}
  %0 = arith.truncf %a : f32 to f64
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{expected a conversion from or to index, found i32 to i64}}
  %0 = arith.index_cast %a : i32 to i64
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{expected one of false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true, found 'lt'}}
  %0 = arith.cmpf lt, %a, %a : f32
  func.return
}

// -----

func.func @f(%a: vector<8xf32>) {
  // expected-error @+1 {{expected result type vector<8xi1>, found i1}}
  %0 = "arith.cmpf"(%a, %a) <{predicate = 4 : i64, fastmath = #arith.fastmath<none>}> : (vector<8xf32>, vector<8xf32>) -> i1
  func.return
}

// -----

func.func @f(%a: i32) {
  // expected-error @+1 {{expected a predicate of 0 to 9, found 10}}
  %0 = "arith.cmpi"(%a, %a) <{predicate = 10 : i64}> : (i32, i32) -> i1
  func.return
}
