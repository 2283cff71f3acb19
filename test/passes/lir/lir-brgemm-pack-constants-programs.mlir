// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},program-lower-implementations,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-pack-constants' --split-input-file --explain=lir-brgemm-pack-constants 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=WHY --input-file=%t.plan

// The constants of a program: both nodes run one kernel, and their bodies read panels.
// WHY: lir.brgemm, its constant in panels of 64 columns
// CHECK-LABEL: @packed
// CHECK: %[[V:.*]] = program.data "v" #snippets.panels<dense<1.000000e+00> : tensor<8x1024xf32>, width 64> : tensor<16x8x64xf32>
// CHECK: %[[W:.*]] = program.data "w" #snippets.panels<dense<2.000000e+00> : tensor<8x1024xf32>, width 64> : tensor<16x8x64xf32>
// CHECK: program.node "p" (%{{.*}} = %{{.*}}, %[[B:.*]] = %[[V]])
// CHECK-NEXT: lir.call @{{.*}}(%{{.*}}, %[[B]]) : (tensor<36x8xf32>, tensor<16x8x64xf32>)
// CHECK: program.node "q" (%{{.*}} = %{{.*}}, %{{.*}} = %[[W]])
// CHECK: lir.kernel @{{.*}} "marked" (%{{.*}}: tensor<36x8xf32>, %{{.*}}: tensor<16x8x64xf32>)
program.graph @packed "selected" (%x "x": tensor<36x8xf32>) {
  %v = program.data "v" dense<1.0> : tensor<8x1024xf32>
  %w = program.data "w" dense<2.0> : tensor<8x1024xf32>
  %p = program.node "p" (%a = %x, %b = %v) impl<"snippets"> : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    program.yield %0 : tensor<36x1024xf32>
  }
  %q = program.node "q" (%a = %x, %b = %w) impl<"snippets"> : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    program.yield %0 : tensor<36x1024xf32>
  }
  program.output %p as "p", %q as "q" : tensor<36x1024xf32>, tensor<36x1024xf32>
}

// -----

// A session reads it, too.
// WHY: lir.brgemm, its constant stays as it is: snippets.negative reads it, too
// CHECK-LABEL: @shared
// CHECK: program.data "w" dense<
// CHECK-NOT: lir.panels
program.graph @shared "selected" (%x "x": tensor<36x8xf32>) {
  %w = program.data "w" dense<1.0> : tensor<8x1024xf32>
  %p = program.node "p" (%a = %x, %b = %w) impl<"snippets"> : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    program.yield %0 : tensor<36x1024xf32>
  }
  %n = program.node "n" (%b = %w) impl<"onnxruntime"> : (tensor<8x1024xf32>) -> tensor<8x1024xf32> {
    %0 = snippets.negative %b : tensor<8x1024xf32>
    program.yield %0 : tensor<8x1024xf32>
  }
  program.output %p as "p", %n as "n" : tensor<36x1024xf32>, tensor<8x1024xf32>
}

// -----

// A caller gets it, too.
// WHY: lir.brgemm, its constant stays as it is: program.output reads it, too
// CHECK-LABEL: @output
// CHECK: program.data "w" dense<
// CHECK-NOT: lir.panels
program.graph @output "selected" (%x "x": tensor<36x8xf32>) {
  %w = program.data "w" dense<1.0> : tensor<8x1024xf32>
  %p = program.node "p" (%a = %x, %b = %w) impl<"snippets"> : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    program.yield %0 : tensor<36x1024xf32>
  }
  program.output %p as "p", %w as "w" : tensor<36x1024xf32>, tensor<8x1024xf32>
}

// -----

// Something computes the right operand: it is no constant.
// WHY: no right operand is constant
// CHECK-LABEL: @computed
// CHECK-NOT: lir.panels
program.graph @computed "selected" (%x "x": tensor<36x8xf32>, %y "y": tensor<8x1024xf32>) {
  %p = program.node "p" (%a = %x, %b = %y) impl<"snippets"> : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32> {
    %0 = snippets.matmul %a, %b : (tensor<36x8xf32>, tensor<8x1024xf32>) -> tensor<36x1024xf32>
    program.yield %0 : tensor<36x1024xf32>
  }
  program.output %p as "p" : tensor<36x1024xf32>
}
