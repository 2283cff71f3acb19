// What a stage's text says wrong is one error at the op, wherever the pipeline is resumed.
// RUN: snippets-opt %s --split-input-file --resume --verify-diagnostics -o /dev/null

// expected-error @+1 {{unknown target 'sum'; choose from generic}}
builtin.module attributes {snippets.target = "sum"} {
  lir.kernel @k "linear" (%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[4]>, #lir.port<[4]>]} : tensor<4xf32>
    lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4]>]} : tensor<4xf32>
  }
}

// -----

builtin.module attributes {snippets.target = "generic"} {
  // expected-error @+1 {{L21: in @k: expected snippets.abs to have a port with the elements of [7, 3], found [7, 4]}}
  lir.kernel @k "linear" (%a: tensor<7x3xf32>) -> tensor<7x3xf32> {
    %0 = snippets.relu %a {lir.loops = array<i64>, lir.ports = [#lir.port<[7, 3]>, #lir.port<[7, 3]>]} : tensor<7x3xf32>
    %1 = snippets.abs %0 {lir.loops = array<i64>, lir.ports = [#lir.port<[7, 4]>, #lir.port<[7, 4]>]} : tensor<7x3xf32>
    lir.result %1 {index = 0 : i64, lir.ports = [#lir.port<[7, 3]>]} : tensor<7x3xf32>
  }
}

// -----

builtin.module attributes {snippets.target = "generic"} {
  // expected-error @+1 {{expected snippets.grain to be 1 or more, found 0}}
  func.func @k(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64) attributes {snippets.kernel, snippets.domain = 6 : i64, snippets.grain = 0 : i64, snippets.scratch = 0 : i64, snippets.cost = 1 : i64} {
    func.return
  }
}

// -----

builtin.module attributes {snippets.target = "generic"} {
  // expected-error @+1 {{expected snippets.domain to be 0 or more, found -1}}
  func.func @k(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64) attributes {snippets.kernel, snippets.domain = -1 : i64, snippets.grain = 1 : i64, snippets.scratch = 0 : i64, snippets.cost = 1 : i64} {
    func.return
  }
}

// -----

builtin.module attributes {snippets.target = "generic"} {
  // expected-error @+1 {{expected snippets.scratch of at most 1099511627776 bytes, found 9223372036854775744}}
  func.func @k(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64) attributes {snippets.kernel, snippets.domain = 1 : i64, snippets.grain = 1 : i64, snippets.scratch = 9223372036854775744 : i64, snippets.cost = 1 : i64} {
    func.return
  }
}

// -----

// A domain of nothing, a domain in one piece: not refused.
builtin.module attributes {snippets.target = "generic"} {
  func.func @k(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64) attributes {snippets.kernel, snippets.domain = 0 : i64, snippets.grain = 8 : i64, snippets.scratch = 64 : i64, snippets.cost = 1 : i64} {
    func.return
  }
}
