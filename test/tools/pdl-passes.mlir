// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/no_negatives.mlir -p no-negatives --check-each | filecheck %s
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/no_negatives.mlir -p 'no-negatives{disable-patterns=abs-of-negative}' | filecheck %s --check-prefix ONE
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/no_negatives.mlir --list-patterns | filecheck %s --check-prefix LIST
// RUN: snippets-opt %S/inputs/one_exp.mlir --load-pass-plugin=%S/inputs/cheaper_exp.mlir -p 'snippets-to-lir,lir-mark-loops,cheaper-exp' | filecheck %s --check-prefix KERNEL
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/no_negatives.mlir -p 'no-negatives{disable-patterns=double}' 2>&1 | filecheck %s --check-prefix NAME

// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[A:.*]] = snippets.abs %x : tensor<40xf32>
// CHECK-NEXT:    func.return %[[A]], %x
// ONE:           %[[N:.*]] = snippets.negative %x : tensor<40xf32>
// ONE-NEXT:      %[[M:.*]] = snippets.abs %[[N]] : tensor<40xf32>
// ONE-NEXT:      func.return %[[M]], %x
// LIST:      no-negatives
// LIST-NEXT:   abs-of-negative  A `pdl.pattern` of benefit 2.
// LIST-NEXT:   double-negative  A `pdl.pattern` of benefit 1.
// KERNEL-NOT: snippets.exp
// KERNEL:     snippets.abs {{.*}} {lir.ports = [
// KERNEL-NOT: snippets.exp
// NAME: pass 'no-negatives' has no pattern 'double'
func.func @main(%x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %0 = snippets.negative %x : tensor<40xf32>
  %1 = snippets.abs %0 : tensor<40xf32>
  %2 = snippets.negative %0 : tensor<40xf32>
  func.return %1, %2 : tensor<40xf32>, tensor<40xf32>
}

// Another op: nothing changes.
// CHECK-LABEL: func.func @twin(
// CHECK-NEXT:    %[[T:.*]] = snippets.negative %x : tensor<40xf32>
// CHECK-NEXT:    snippets.exp %[[T]] : tensor<40xf32>
func.func @twin(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = snippets.negative %x : tensor<40xf32>
  %1 = snippets.exp %0 : tensor<40xf32>
  func.return %1 : tensor<40xf32>
}
