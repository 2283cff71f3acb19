// RUN: snippets-opt %s -p snippets-to-llvm -t llvm | filecheck %s --check-prefix LLVM
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-to-llvm' -t asm | filecheck %s --check-prefix ASM
// RUN: snippets-opt %s -p snippets-to-llvm -t manifest | python -m json.tool --sort-keys | filecheck %s --check-prefix MANIFEST
// RUN: snippets-opt %s -p snippets-to-llvm -t obj -o %t.o && test -s %t.o && python -m json.tool %t.json %t.again
// RUN: snippets-opt %s -p snippets-to-llvm -t mlir | filecheck %s --check-prefix MLIR
// RUN: not snippets-opt %s -t llvm 2>&1 | filecheck %s --check-prefix EARLY
// RUN: not snippets-opt %S/inputs/no-machine.mlir -t asm 2>&1 | filecheck %s --check-prefix MACHINE

func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.multiply %x, %y : tensor<64xf32>
  %1 = snippets.relu %0 : tensor<64xf32>
  func.return %1 : tensor<64xf32>
}

// LLVM:      define {{.*}}void @{{.*}}(ptr
// ASM:       vmulps {{.*}}%ymm
// MANIFEST:  "entry": "main"
// MANIFEST:  "kind": "kernel"
// MLIR:      llvm.func @
// EARLY:     targets.mlir:1:1: error: the module has no llvm.func; lower it first, with -p snippets-to-llvm
// MACHINE:   no-machine.mlir:1:1: error: the module has no target machine; run snippets-set-target first
