// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @other_symbols(%x: tensor<?xf32, #lir.sizes<?0>>, %y: tensor<?xf32, #lir.sizes<?1>>) {
  // expected-error @+1 {{C4: snippets.add operands do not broadcast: ?0, ?1}}
  %0 = snippets.add %x, %y : (tensor<?xf32, #lir.sizes<?0>>, tensor<?xf32, #lir.sizes<?1>>) -> tensor<?xf32, #lir.sizes<?0>>
  func.return
}

// -----

func.func @too_few(%x: tensor<?x?xf32, #lir.sizes<?0>>) {
  // expected-error @+1 {{expected one size in #lir.sizes for each ? of the shape, found tensor<?x?xf32, #lir.sizes<?0>>}}
  %0 = snippets.relu %x : tensor<?x?xf32, #lir.sizes<?0>>
  func.return
}

// -----

// There is no size for a static dim.
func.func @static_dim(%x: tensor<?x4xf32, #lir.sizes<?0, ?1>>) {
  // expected-error @+1 {{expected one size in #lir.sizes for each ? of the shape, found tensor<?x4xf32, #lir.sizes<?0, ?1>>}}
  %0 = snippets.relu %x : tensor<?x4xf32, #lir.sizes<?0, ?1>>
  func.return
}

// -----

// expected-error @+1 {{expected a size with a symbol, such as ?0, found 4}}
func.func @a_number(%x: tensor<?xf32, #lir.sizes<4>>) {
  func.return
}

// -----

// expected-error @+1 {{expected a size with a symbol in #lir.sizes, found none}}
func.func @nothing(%x: tensor<?xf32, #lir.sizes<?>>) {
  func.return
}

// -----

func.func @too_large(%x: tensor<4611686018427387904xf32>) {
  // expected-error @+1 {{C1: snippets.relu expects a result of fewer than 2^63 bytes, found tensor<4611686018427387904xf32>}}
  %0 = snippets.relu %x : tensor<4611686018427387904xf32>
  func.return
}
