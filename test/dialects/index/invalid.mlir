// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: i32) {
  // expected-error @+1 {{C1: expected a cast between index and an integer, found i32 to i64}}
  %0 = index.casts %a : i32 to i64
  func.return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{C1: expected a cast between index and an integer, found index to index}}
  %0 = index.castu %a : index to index
  func.return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{Expected `eq`, `ne`, `slt`}}
  %0 = index.cmp lt(%a, %a)
  func.return
}

// -----

func.func @f() {
  // expected-error @+1 {{expected a signed integer of 64 bits, found 9223372036854775808}}
  %0 = index.constant 9223372036854775808
  func.return
}

// -----

func.func @f(%a: i64) {
  // expected-error @+1 {{operand is used with type index}}
  %0 = index.add %a, %a
  func.return
}
