// A slice of an input is a view: strides in its ports, and a load at another place.
// RUN: snippets-opt %s -p snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain | filecheck %s
// RUN: snippets-opt %s -p snippets-set-target{target=generic},snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-insert-load-store | filecheck %s --check-prefix=LOAD
// RUN: snippets-opt %s -p snippets-to-llvm --check-each -o %t.out
// RUN: snippets-opt %s -p snippets-to-lir | snippets-opt - -o %t.text

// Rows that are whole collapse with their columns.
// CHECK-LABEL: @main
// CHECK: lir.kernel
// CHECK: snippets.abs {{.*}} [#lir.port<[27], strides [1]>, #lir.port<[27]>]
// LOAD: lir.load {{.*}} {count = {{[0-9]+}} : i64, offset = 9 : i64,
// Columns that are left out keep the dims apart; reversed ones, too.
// CHECK: lir.kernel
// CHECK: snippets.negative {{.*}} [#lir.port<[4, 5], strides [9, -1]>, #lir.port<[4, 5]>]
// LOAD: lir.load {{.*}} {count = {{[0-9]+}} : i64, offset = 8 : i64,
// A dim that is dropped is in no port; an element is broadcast.
// CHECK: lir.kernel
// CHECK: snippets.add {{.*}} [#lir.port<[4, 1], strides [9, 1]>, #lir.port<[4, 9]>, #lir.port<[4, 9]>]
func.func @main(%x: tensor<4x9xf32>) -> (tensor<3x9xf32>, tensor<4x5xf32>, tensor<4x9xf32>) {
  %0 = snippets.slice %x {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<4x9xf32>) -> tensor<3x9xf32>
  %1 = snippets.abs %0 : tensor<3x9xf32>
  %2 = snippets.slice %x {starts = array<i64: 0, 8>, steps = array<i64: 1, -1>} : (tensor<4x9xf32>) -> tensor<4x5xf32>
  %3 = snippets.negative %2 : tensor<4x5xf32>
  %4 = snippets.slice %x {starts = array<i64: 0, 3>, steps = array<i64: 1, 1>} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %5 = snippets.add %4, %x : (tensor<4x1xf32>, tensor<4x9xf32>) -> tensor<4x9xf32>
  func.return %1, %3, %5 : tensor<3x9xf32>, tensor<4x5xf32>, tensor<4x9xf32>
}
