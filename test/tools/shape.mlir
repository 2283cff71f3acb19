// RUN: snippets-opt %s --shape x=4x8 --shape y=1x8 | filecheck %s
// RUN: snippets-opt %s --shape x=4x8 --shape y=1x8 -p snippets-to-llvm -t asm | filecheck %s --check-prefix=ASM
// RUN: snippets-opt %S/../../docs/examples/mlp.onnx --shape x=16x32 -p snippets-to-llvm --verify-each=false -t asm | filecheck %s --check-prefix=ASM
// RUN: not snippets-opt %s -p snippets-to-lir 2>&1 | filecheck %s --check-prefix=K2
// RUN: not snippets-opt %s --shape x=4x8 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: not snippets-opt %s --shape xx=4x8 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not snippets-opt %s --shape x=4x9 --shape y=1x8 2>&1 | filecheck %s --check-prefix=FIT
// RUN: not snippets-opt %s --shape x=4x-8 2>&1 | filecheck %s --check-prefix=FORM
// RUN: not snippets-opt %s --shape x=4x8 --shape y=3x8 2>&1 | filecheck %s --check-prefix=OP
// RUN: not snippets-opt %S/../../docs/examples/mlp.onnx --shape x=16x33 2>&1 | filecheck %s --check-prefix=ONNX
// RUN: sed 's/ {snippets.name = "."}//g' %s | not snippets-opt - --shape x=4x8 2>&1 | filecheck %s --check-prefix=TEXT

func.func @main(%x: tensor<?x8xf32> {snippets.name = "x"}, %y: tensor<?x8xf32> {snippets.name = "y"}) -> tensor<?x8xf32> {
  %0 = snippets.add %x, %y : tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}

// CHECK: func.func @main(%x: tensor<4x8xf32> {snippets.name = "x"}, %y: tensor<1x8xf32> {snippets.name = "y"}) -> tensor<4x8xf32>
// CHECK: snippets.add %x, %y : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
// ASM: subgraph_0:
// K2: shape.mlir:14:3: error: K2: snippets.add has dynamic dims (tensor<?x8xf32>); give them sizes with --shape NAME=2x3
// ALONE: shape.mlir:13:1: error: --shape: input 'y' of type tensor<?x8xf32> needs a shape, too
// NAME: error: --shape: no input 'xx'
// TEXT: error: --shape: no input 'x'; the inputs are arg0 (%x), arg1 (%y)
// FIT: error: --shape: 4x9 does not fit input 'x' of type tensor<?x8xf32>
// FORM: error: --shape expects NAME=2x3, found 'x=4x-8'
// OP: shape.mlir:14:3: error: snippets.add: the result's shape does not follow from operands of shape 4x8, 3x8
// ONNX: error: {{.*}}33
