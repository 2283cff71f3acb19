// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_target.py -p 'snippets-set-target{target=x86-64-mine},snippets-to-lir,lir-to-vector' | filecheck %s
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_target.py -p 'snippets-set-target{target=x86-64-min},snippets-to-lir' 2>&1 | filecheck %s --check-prefix NAME
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_target.py -p 'snippets-set-target{target=x86-64-mine},snippets-tokenize,convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' 2>&1 | filecheck %s --check-prefix TUPLE
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_target.py -p 'snippets-set-target{target=x86-64-mine},snippets-to-llvm' -t asm | filecheck %s --check-prefix ASM

// The target has one emitter of its own, for f64 only: the sum is computed there, the product as on every target.
// CHECK: snippets.target = "x86-64-mine"
// CHECK: %[[N:.*]] = arith.negf %{{.*}} : vector<8xf64>
// CHECK-NEXT: arith.subf %{{.*}}, %[[N]] : vector<8xf64>
// CHECK: arith.mulf %{{.*}} : vector<8xf32>
// NAME: error: pass 'snippets-set-target': unknown target 'x86-64-min'; did you mean 'x86-64-mine'
// TUPLE: error: snippets.add has no emitter for f32, f32 on target x86-64-mine, expected f64, f64; run snippets-propagate-precision, insert a snippets.convert_saturation, or choose another target
// ASM: vaddpd
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.add %x, %y : tensor<64xf32>
  %1 = snippets.multiply %0, %y : tensor<64xf32>
  func.return %1 : tensor<64xf32>
}
