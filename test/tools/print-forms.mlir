// RUN: snippets-opt %s --mlir-print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: snippets-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC
// RUN: snippets-opt %s --mlir-print-debuginfo | filecheck %s --check-prefix LOC
// RUN: snippets-opt %s --mlir-print-debuginfo | snippets-opt - --mlir-print-debuginfo | filecheck %s --check-prefix LOC
// RUN: snippets-opt %s | filecheck %s --check-prefix PLAIN
// RUN: %roundtrip
// RUN: %generic-roundtrip

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.abs %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// GENERIC:      "builtin.module"() ({
// GENERIC:        "func.func"()
// GENERIC:        %0 = "snippets.abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>

// LOC:          %x: tensor<4xf32> loc("{{.*}}print-forms.mlir":9:14)
// LOC:          snippets.abs %x : tensor<4xf32> loc("{{.*}}print-forms.mlir":10:3)

// PLAIN-NOT:    loc(
// PLAIN:        func.func @f

// CHECK:        %0 = snippets.abs %x : tensor<4xf32>
// CHECK-NEXT:   func.return %0 : tensor<4xf32>
