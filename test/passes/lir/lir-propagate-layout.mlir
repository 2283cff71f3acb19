// RUN: snippets-opt %s -p 'lir-propagate-layout' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'lir-propagate-layout,lir-propagate-layout' --split-input-file | filecheck %s

// Place 0 in memory holds dim 1 of the transposed array; padded to the kernel's rank.
// CHECK-LABEL: @fires
// CHECK: snippets.relu {{.*}}lir.ports = [#lir.port<[1, 3, 4], layout [0, 2, 1]>, #lir.port<[1, 3, 4]>]
lir.kernel @fires "linear" (%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %t = snippets.transpose %x {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 3]>, #lir.port<[3, 4]>]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %0 = snippets.relu %t {lir.loops = array<i64>, lir.ports = [#lir.port<[1, 3, 4]>, #lir.port<[1, 3, 4]>]} : tensor<3x4xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[1, 3, 4]>]} : tensor<3x4xf32>
}

// -----

// A reshape in its usual order, then a transpose of three dims: result dim i is dim permutation[i].
// CHECK-LABEL: @chain
// CHECK: snippets.relu {{.*}}lir.ports = [#lir.port<[4, 2, 3], layout [1, 2, 0]>, #lir.port<[4, 2, 3]>]
lir.kernel @chain "linear" (%x: tensor<6x4xf32>) -> tensor<4x2x3xf32> {
  %r = snippets.reshape %x {lir.loops = array<i64>, lir.ports = [#lir.port<[6, 4]>, #lir.port<[2, 3, 4]>]} : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %t = snippets.transpose %r {permutation = array<i64: 2, 0, 1>, lir.loops = array<i64>, lir.ports = [#lir.port<[2, 3, 4]>, #lir.port<[4, 2, 3]>]} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %0 = snippets.relu %t {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 2, 3]>, #lir.port<[4, 2, 3]>]} : tensor<4x2x3xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4, 2, 3]>]} : tensor<4x2x3xf32>
}

// -----

// Two transposes that cancel out leave the usual order; what is no view has none; a wrong one is put right.
// CHECK-LABEL: @planar
// CHECK: snippets.add {{.*}}lir.ports = [#lir.port<[4, 3]>, #lir.port<[4, 3]>, #lir.port<[4, 3]>]
lir.kernel @planar "linear" (%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %t = snippets.transpose %x {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 3]>, #lir.port<[3, 4]>]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %u = snippets.transpose %t {permutation = array<i64: 1, 0>, lir.loops = array<i64>, lir.ports = [#lir.port<[3, 4]>, #lir.port<[4, 3]>]} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %0 = snippets.add %u, %x {lir.loops = array<i64>, lir.ports = [#lir.port<[4, 3], layout [1, 0]>, #lir.port<[4, 3]>, #lir.port<[4, 3]>]} : tensor<4x3xf32>
  lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4, 3]>]} : tensor<4x3xf32>
}
