// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-tokenize,convert-snippets-to-lir' --split-input-file | filecheck %s --check-prefix=LINEAR
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-tokenize,convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-llvm' --split-input-file --verify-each -o /dev/null

// Rows: the table has no distance in the dim that the indices walk, and the indices have size 1 in
// that of the row. One index is loaded for a vector.
// LINEAR-LABEL: lir.kernel @subgraph_0
// LINEAR: snippets.gather %x, %i {{.*}}lir.ports = [#lir.port<[1, 19], strides [0, 1]>, #lir.port<[5, 1]>, #lir.port<[5, 19]>]
// CHECK-LABEL: @rows
// CHECK: %[[I:.*]] = lir.load %i {count = 1 : i64
// CHECK-NEXT: %[[R:.*]] = lir.gather %x, %[[I]] {count = 8 : i64, limits = [6 : i64], steps = [19 : i64], from_end,
// CHECK-NEXT: snippets.relu %[[R]]
func.func @rows(%x: tensor<7x19xf32>, %i: tensor<5xi64>) -> tensor<5x19xf32> {
  %0 = snippets.gather %x, %i {axis = 0 : i64, from_end} : (tensor<7x19xf32>, tensor<5xi64>) -> tensor<5x19xf32>
  %1 = snippets.relu %0 : tensor<5x19xf32>
  func.return %1 : tensor<5x19xf32>
}

// -----

// Columns: each lane has a place of its own.
// LINEAR-LABEL: lir.kernel @subgraph_0
// LINEAR: snippets.gather %x, %i {{.*}}lir.ports = [#lir.port<[7, 1], strides [19, 0]>, #lir.port<[1, 5]>, #lir.port<[7, 5]>]
// CHECK-LABEL: @columns
// CHECK: %[[I:.*]] = lir.load %i {count = 8 : i64
// CHECK-NEXT: lir.gather %x, %[[I]] {count = 8 : i64, limits = [18 : i64], steps = [1 : i64],
func.func @columns(%x: tensor<7x19xf32>, %i: tensor<5xi32>) -> tensor<7x5xf32> {
  %0 = snippets.gather %x, %i {axis = 1 : i64} : (tensor<7x19xf32>, tensor<5xi32>) -> tensor<7x5xf32>
  %1 = snippets.relu %0 : tensor<7x5xf32>
  func.return %1 : tensor<7x5xf32>
}

// -----

// A slice at two places.
// LINEAR-LABEL: lir.kernel @subgraph_0
// LINEAR: snippets.dynamic_slice %x, %a, %b {{.*}}lir.ports = [#lir.port<[2, 9], strides [19, 1]>, #lir.port<[1, 1]>, #lir.port<[1, 1]>, #lir.port<[2, 9]>]
// CHECK-LABEL: @places
// CHECK: %[[A:.*]] = lir.load %a {count = 1 : i64
// CHECK-NEXT: %[[B:.*]] = lir.load %b {count = 1 : i64
// CHECK-NEXT: lir.gather %x, %[[A]], %[[B]] {count = 8 : i64, limits = [5 : i64, 10 : i64], steps = [19 : i64, 1 : i64],
func.func @places(%x: tensor<7x19xf32>, %a: tensor<i64>, %b: tensor<i32>) -> tensor<2x9xf32> {
  %0 = snippets.dynamic_slice %x, %a, %b {axes = array<i64: 0, 1>} : (tensor<7x19xf32>, tensor<i64>, tensor<i32>) -> tensor<2x9xf32>
  %1 = snippets.relu %0 : tensor<2x9xf32>
  func.return %1 : tensor<2x9xf32>
}

// -----

// What is computed, table or indices, is in a kernel before, and a gather is no load of a slice.
// LINEAR-LABEL: func.func @computed
// LINEAR-COUNT-2: lir.call
// LINEAR: lir.kernel @subgraph_0
// LINEAR: snippets.exp
// LINEAR: lir.kernel @subgraph_1
// LINEAR: snippets.gather
// CHECK-LABEL: @computed
func.func @computed(%x: tensor<7x19xf32>, %i: tensor<5xi64>) -> tensor<5x19xf32> {
  %e = snippets.exp %x : tensor<7x19xf32>
  %0 = snippets.gather %e, %i {axis = 0 : i64} : (tensor<7x19xf32>, tensor<5xi64>) -> tensor<5x19xf32>
  func.return %0 : tensor<5x19xf32>
}

// -----

// A table that another op reads, too, is seen through a view: its pointer moves in another way. One
// that only the gather reads is not.
// LINEAR-LABEL: func.func @read_twice
// LINEAR: lir.kernel @subgraph_0
// LINEAR-NEXT: %[[V:.*]] = snippets.reshape %x
// LINEAR-NEXT: snippets.gather %[[V]], %i
// LINEAR-NEXT: snippets.add %{{.*}}, %x
func.func @read_twice(%x: tensor<19xf32>, %i: tensor<19xi64>) -> tensor<19xf32> {
  %0 = snippets.gather %x, %i {axis = 0 : i64} : (tensor<19xf32>, tensor<19xi64>) -> tensor<19xf32>
  %1 = snippets.add %0, %x : tensor<19xf32>
  func.return %1 : tensor<19xf32>
}
