// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @unknown_op(%x: tensor<4xf32>) {
  // expected-error @+1 {{unknown op 'snippets.asb'; did you mean 'snippets.abs'?}}
  %0 = snippets.asb %x : tensor<4xf32>
  func.return
}

// -----

func.func @unknown_dialect(%x: tensor<4xf32>) {
  %0 = snipets.abs %x : tensor<4xf32> // expected-error {{no dialect 'snipets'; did you mean 'snippets'?}}
  func.return
}

// -----

func.func @undefined_value() -> tensor<4xf32> {
  func.return %nowhere : tensor<4xf32>
  // expected-error @above {{use of value %nowhere, which is not defined}}
}

// -----

func.func @defined_twice(%x: tensor<4xf32>) {
  %0 = snippets.abs %x : tensor<4xf32>
  // expected-error @below {{SSA value %0 is already defined}}
  %0 = snippets.abs %x : tensor<4xf32>
  func.return
}

// -----

// The verifier of an op in the middle of a module.
func.func @shapes(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  %0 = snippets.abs %x : tensor<4xf32>
  // expected-error @+1 {{C4: snippets.add operands do not broadcast}}
  %1 = "snippets.add"(%0, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
  func.return
}

// -----

// A type whose verifier runs while it is parsed.
func.func @while_parsing() {
  // expected-error @+1 {{Complex type must be parameterized by an integer or float type}}
  %0 = "test.op"() : () -> complex<tensor<1xf32>>
  func.return
}

// -----

func.func @dominance() -> i32 {
  // expected-error-re @+1 {{operand #0 of 'arith.addi', {{.*}}, does not dominate this use; it is defined at {{.*}}errors-module.mlir:{{[0-9]+}}:3}}
  %0 = arith.addi %1, %1 : i32
  %1 = arith.constant 1 : i32
  func.return %0 : i32
}

// -----

func.func @dominance_between_blocks(%c: i1) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  %x = arith.constant 1 : i32
  cf.br ^c
^b:
  cf.br ^c
^c:
  // expected-error @+1 {{operand #0 of 'func.return', %x, does not dominate this use}}
  func.return %x : i32
}

// -----

// The same with %x in the block that both paths come through is right.
func.func @dominates(%c: i1) -> i32 {
  %x = arith.constant 1 : i32
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^c
^b:
  cf.br ^c
^c:
  func.return %x : i32
}

// -----

func.func @missing_terminator() {
  // expected-error @+1 {{arith.constant terminates block in single-block region but is not a terminator}}
  %0 = arith.constant 1 : i32
}

// -----

func.func @lost_brace() {
  func.return
// expected-error @+1 {{expected an operation, a block or '}'}}
