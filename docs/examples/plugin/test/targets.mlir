// The target has an emitter of its own.

// RUN: snippets-opt %s --load-pass-plugin=@shrinking -p 'snippets-set-target{target=x86-64-ceiling},snippets-to-lir,lir-to-vector' | filecheck %s

// CHECK: arith.negf
// CHECK-NEXT: math.ceil
// CHECK-NEXT: arith.negf
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.floor %x : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}
