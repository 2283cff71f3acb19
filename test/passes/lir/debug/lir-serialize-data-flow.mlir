// RUN: snippets-opt %s -p 'lir-serialize-data-flow{path=%t.xml format=all}' -o %t.mlir
// RUN: filecheck %s --input-file %t.xml
// RUN: filecheck %s --check-prefix=SVG --input-file %t.svg
// RUN: not snippets-opt %s -p 'lir-serialize-data-flow{path=%t.xml format=png}' 2>&1 | filecheck %s --check-prefix=FORMAT

// No markers; an edge for each operand, from and to the ports of values.
// CHECK: <layer id="0" name="%x" type="Parameter" version="SnippetsOpset">
// CHECK-NOT: LoopBegin
// CHECK: <layer id="2" name="%1" type="Add" version="SnippetsOpset">
// CHECK: <port id="0" precision="FP32">
// CHECK-NEXT: <dim>37</dim>
// CHECK: <port id="2" precision="FP32" names="%1">
// CHECK-NOT: LoopEnd
// CHECK: <layer id="4" name="lir.result 5" type="Result" version="SnippetsOpset">
// CHECK: <edge from-layer="0" from-port="0" to-layer="1" to-port="0" />
// CHECK-NEXT: <edge from-layer="1" from-port="1" to-layer="2" to-port="0" />
// CHECK-NEXT: <edge from-layer="1" from-port="1" to-layer="2" to-port="1" />
// CHECK-NEXT: <edge from-layer="2" from-port="2" to-layer="3" to-port="0" />
// CHECK-NEXT: <edge from-layer="3" from-port="1" to-layer="4" to-port="0" />

// SVG: <title>%0 [37], sub [8]</title>
// FORMAT: error: pass 'lir-serialize-data-flow': format: expected xml, svg, html or all, found 'png'
lir.kernel @exp "looped" (%x: tensor<37xf32>) -> tensor<37xf32> loops [#lir.loop<0, work 37, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %1 = snippets.add %0, %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>]} : tensor<37xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[37], sub [8]>]} : tensor<37xf32>
}
