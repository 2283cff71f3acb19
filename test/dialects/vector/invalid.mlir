// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f() {
  // expected-error @+1 {{C1: expected one size from 0 to each of [8], all 0 if one is, found [9]}}
  %0 = vector.constant_mask [9] : vector<8xi1>
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{C1: expected one size from 0 to each of [2, 8], all 0 if one is, found [0, 8]}}
  %0 = vector.constant_mask [0, 8] : vector<2x8xi1>
  func.return
}

// -----

func.func @f(%a: f32) {
  // expected-error @+1 {{expected 4 elements, found 2}}
  %0 = vector.from_elements %a, %a : vector<4xf32>
  func.return
}

// -----

func.func @f(%a: vector<2xf32>) {
  // expected-error @+1 {{expected 2 elements, found 1}}
  %0 = "vector.to_elements"(%a) : (vector<2xf32>) -> f32
  func.return
}

// -----

func.func @f(%a: vector<8xf32>) {
  // expected-error @+1 {{f64}}
  %0 = vector.reduction <add>, %a : vector<8xf32> into f64
  func.return
}

// -----

func.func @f(%a: vector<8xf32>) {
  // expected-error @+1 {{C2: expected a kind of reduction for f32, found maxui}}
  %0 = vector.reduction <maxui>, %a : vector<8xf32> into f32
  func.return
}
