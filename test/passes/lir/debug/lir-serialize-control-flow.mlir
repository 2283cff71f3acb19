// RUN: snippets-opt %s -p 'lir-serialize-control-flow{path=%t.xml format=all}' -o %t.mlir
// RUN: filecheck %s --input-file %t.xml
// RUN: filecheck %s --check-prefix=SVG --input-file %t.svg
// RUN: filecheck %s --check-prefix=HTML --input-file %t.html
// RUN: filecheck %s --check-prefix=SAME --input-file %t.mlir
// RUN: not snippets-opt %s -p 'lir-serialize-control-flow{path=%t.xml format=xm}' 2>&1 | filecheck %s --check-prefix=FORMAT
// RUN: not snippets-opt %s -p 'lir-serialize-control-flow{path=/proc/none/a.xml}' 2>&1 | filecheck %s --check-prefix=WRITE
// RUN: not snippets-opt %s -p 'lir-serialize-control-flow' 2>&1 | filecheck %s --check-prefix=PATH
// RUN: not snippets-opt %s -p 'lir-serialize-control-flow{path=""}' 2>&1 | filecheck %s --check-prefix=EMPTY

// Every op in its order, markers included, and an edge from the begin of a loop to its end.
// CHECK: <net name="exp" version="11">
// CHECK: <layer id="0" name="0 lir.loop_begin" type="LoopBegin" version="SnippetsOpset">
// CHECK-NEXT: <data op="lir.loop_begin" place="0" loops="[0]" loop="loop 0: work 37, increment 8, dim 0, parallel" />
// CHECK: <layer id="2" name="2 snippets.add" type="Add" version="SnippetsOpset">
// CHECK-NEXT: <data op="snippets.add" place="2" loops="[0]" in_0="%0 [37], sub [8]" in_1="%0 [37], sub [8]" out_0="%1 [37], sub [8]" />
// CHECK: <edge from-layer="3" from-port="1" to-layer="4" to-port="0" />
// CHECK-NEXT: <edge from-layer="0" from-port="3" to-layer="4" to-port="2" />
// CHECK-NEXT: <edge from-layer="4" from-port="1" to-layer="5" to-port="0" />
// CHECK: <loop_0 value="loop 0: work 37, increment 8, dim 0, parallel" />

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: <title>kernel @exp, stage looped, scratch 0 bytes</title>
// SVG: <g id="loop0"><title>loop 0: work 37, increment 8, dim 0, parallel</title>
// SVG: %1 = add %0, %0
// HTML: <!DOCTYPE html>
// HTML: <svg
// HTML: kernel @exp, stage looped, scratch 0
// SAME: lir.kernel @exp "looped"
// FORMAT: error: pass 'lir-serialize-control-flow': format: expected xml, svg, html or all, found 'xm'; did you mean 'xml'?
// WRITE: error: pass 'lir-serialize-control-flow': cannot write /proc/none/a.xml: No such file or directory
// PATH: pass 'lir-serialize-control-flow' needs option 'path'
// EMPTY: error: pass 'lir-serialize-control-flow': path: expected a file name such as kernel.xml, found nothing
lir.kernel @exp "looped" (%x: tensor<37xf32>) -> tensor<37xf32> loops [#lir.loop<0, work 37, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %1 = snippets.add %0, %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>]} : tensor<37xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[37], sub [8]>]} : tensor<37xf32>
}
