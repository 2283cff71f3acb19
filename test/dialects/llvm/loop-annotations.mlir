// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt %s --mlir-print-op-generic | snippets-opt - | filecheck %s
// RUN: snippets-opt %s -p 'convert-scf-to-cf' | filecheck %s --check-prefix=CF
// RUN: snippets-opt %s -p 'convert-scf-to-cf,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm' | filecheck %s --check-prefix=LLVM
// RUN: snippets-opt %s -p 'convert-scf-to-cf,convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm' -t llvm | filecheck %s --check-prefix=TEXT

// CHECK-LABEL: @loops
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 4 : i32>>}
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = false, count = 2 : i32>>}

// The branch back has it, and the one into the loop does not.
// CF: cf.br ^bb1(%{{.*}} : i64){{$}}
// CF: cf.br ^bb1(%{{.*}} : i64) {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 4 : i32>>}

// LLVM: llvm.br ^bb1(%{{.*}} : i64){{$}}
// LLVM: llvm.br ^bb1(%{{.*}} : i64) {loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 4 : i32>>}

// Each loop has a node of its own.
// TEXT: br label %b{{[0-9]+}}, !llvm.loop !2
// TEXT: br label %b{{[0-9]+}}, !llvm.loop !4
// TEXT: br label %b{{[0-9]+}}, !llvm.loop !6
// TEXT: !2 = distinct !{!2, !3}
// TEXT-NEXT: !3 = !{!"llvm.loop.unroll.count", i32 4}
// TEXT-NEXT: !4 = distinct !{!4, !5}
// TEXT-NEXT: !5 = !{!"llvm.loop.unroll.disable"}
// TEXT-NEXT: !6 = distinct !{!6, !7}
// TEXT-NEXT: !7 = !{!"llvm.loop.unroll.count", i32 2}
func.func @loops(%n: i64) attributes {snippets.kernel} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %i = %c0 to %n step %c1 : i64 {
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 4 : i32>>}
  scf.for %i = %c0 to %n step %c1 : i64 {
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
  scf.for %i = %c0 to %n step %c1 : i64 {
  } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 2 : i32, disable = false>>}
  func.return
}
