// RUN: snippets-opt %s -p lir-debug-print -o %t.mlir 2>&1 | filecheck %s
// RUN: filecheck %s --check-prefix=SAME --input-file %t.mlir
// RUN: snippets-opt %s -p 'lir-insert-specific-iterations,lir-debug-print' -o %t.mlir 2>&1 | filecheck %s --check-prefix=TAIL

// Loops, connectors with their consumers, descriptors, buffers; the module stays as it is.
// CHECK: kernel @exp, stage looped, scratch 0
// CHECK-NEXT:   loop 0: work 37, increment 8, dim 0, parallel
// CHECK-NEXT:   argument %x -> 1.0
// CHECK-NEXT:   0: lir.loop_begin, loops [0]
// CHECK-NEXT:   1: lir.load, loops [0], count = 8 : i64
// CHECK-NEXT:      in 0: %x, [37], sub [8], loops [0: dim 0 ptr 1 fin -37]
// CHECK-NEXT:      out 0: %0, [37], sub [8] -> 2.0, 2.1
// CHECK-NEXT:   2: snippets.add, loops [0]
// CHECK-NEXT:      in 0: %0, [37], sub [8]
// CHECK-NEXT:      in 1: %0, [37], sub [8]
// CHECK-NEXT:      out 0: %1, [37], sub [8] -> 3.0
// CHECK:        4: lir.loop_end, loops [0]
// CHECK-NEXT:   5: lir.result, loops [], index = 0 : i64
// CHECK-NOT: buffer

// SAME: lir.kernel @exp "looped"
// TAIL: kernel @exp, stage expanded, scratch 0
// TAIL:   loop {{.*}}: work 32, increment 8, dim 0, parallel, main of 0
lir.kernel @exp "looped" (%x: tensor<37xf32>) -> tensor<37xf32> loops [#lir.loop<0, work 37, inc 8, dim 0, parallel>] {
  lir.loop_begin 0
  %0 = lir.load %x {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %1 = snippets.add %0, %0 {lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>, #lir.port<[37], sub [8]>]} : tensor<37xf32>
  %2 = lir.store %1 {count = 8 : i64, lir.loops = array<i64: 0>, lir.ports = [#lir.port<[37], sub [8]>, #lir.port<[37], sub [8], loops [0: dim 0 ptr 1 fin -37]>]} : tensor<37xf32>
  lir.loop_end 0
  lir.result %2 {index = 0 : i64, lir.ports = [#lir.port<[37], sub [8]>]} : tensor<37xf32>
}
