// RUN: snippets-opt %s -p 'canonicalize,cse' --insert-pass=start:snippets-set-target{target=generic} --insert-pass=after:canonicalize:licm --insert-pass=before:cse:dce,canonicalize --insert-pass=end:dce --mlir-print-ir-before-all 2>&1 | filecheck %s
// RUN: not snippets-opt %s -p 'canonicalize,cse' --insert-pass=after:canonicalise:dce 2>&1 | filecheck %s --check-prefix=ANCHOR
// RUN: not snippets-opt %s -p 'canonicalize' --insert-pass=befor:canonicalize:dce 2>&1 | filecheck %s --check-prefix=PLACE
// RUN: not snippets-opt %s -p 'canonicalize' --insert-pass=after:canonicalize 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not snippets-opt %s -p 'canonicalize' --insert-pass=end:dcee 2>&1 | filecheck %s --check-prefix=PASS
// RUN: not snippets-opt %s --load-pass-plugin=@nothing-like-it 2>&1 | filecheck %s --check-prefix=ENTRY
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_positions.py -p canonicalize,cse --mlir-print-ir-before-all 2>&1 | filecheck %s --check-prefix=PLUGIN
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_positions.py -p dce --mlir-print-ir-before-all 2>&1 | filecheck %s --check-prefix=ELSEWHERE

// CHECK: IR Dump Before {{.*}}snippets-set-target
// CHECK: IR Dump Before {{.*}}canonicalize
// CHECK: IR Dump Before {{.*}}licm
// CHECK: IR Dump Before {{.*}}dce
// CHECK: IR Dump Before {{.*}}canonicalize
// CHECK: IR Dump Before {{.*}}cse
// CHECK: IR Dump Before {{.*}}dce

// ANCHOR: error: the pipeline has no pass 'canonicalise'; did you mean 'canonicalize'?
// PLACE: error: unknown position 'befor' in 'befor:canonicalize:dce'; did you mean 'before'?
// FORM: error: expected after:NAME:PASS, found 'after:canonicalize', which has no PASS
// PASS: unknown pass 'dcee'
// PLUGIN: IR Dump Before {{.*}}canonicalize
// PLUGIN: IR Dump Before {{.*}}licm
// PLUGIN: IR Dump Before {{.*}}cse
// ELSEWHERE: IR Dump Before {{.*}}dce
// ELSEWHERE-NOT: IR Dump Before
// ENTRY: error: plugin '@nothing-like-it' cannot be loaded: no such entry point; installed: none
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
