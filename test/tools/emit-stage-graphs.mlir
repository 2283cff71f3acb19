// RUN: snippets-opt %s --emit-stage=program | filecheck %s --check-prefix=PROGRAM
// RUN: snippets-opt %s --emit-stage=program-fuse-primitives | filecheck %s --check-prefix=FUSED
// RUN: snippets-opt %s --emit-stage=llvm-ir | filecheck %s --check-prefix=KERNEL
// RUN: snippets-opt %s -p program-to-llvm -t llvm | filecheck %s --check-prefix=KERNEL
// RUN: snippets-opt %s -p program-select-implementations | snippets-opt --resume -t llvm | filecheck %s --check-prefix=KERNEL
// RUN: snippets-opt %s -p program-select-implementations,program-memory-dependencies,program-plan-memory | snippets-opt --resume -t llvm | filecheck %s --check-prefix=KERNEL
// RUN: snippets-opt %s -p program-select-implementations,program-memory-dependencies,program-plan-memory,program-schedule -o %t.scheduled.mlir
// RUN: snippets-run %t.scheduled.mlir --resume --verify | filecheck %s --check-prefix=RIGHT
// RUN: not snippets-opt %s -t llvm 2>&1 | filecheck %s --check-prefix=EARLY
// RUN: snippets-opt %s --force-impl=*:onnxruntime --emit-stage=all --emit-dir=%t.dir
// RUN: filecheck %s --check-prefix=SESSION --input-file=%t.dir/program.mlir
// RUN: not grep define %t.dir/llvm-ir.ll

// The stages of a graph are those of what runs, also without a kernel; its text names no target.
// PROGRAM: program.graph @main "planned"
// PROGRAM-NEXT: program.node "relu" ({{.*}}) impl<"snippets", @{{.*}}, cost = {{[0-9]+}}> mem<output, 0> origin ["tanh", "relu"] :
// FUSED: program.graph @main "fused"
// KERNEL: define void @
// EARLY: error: the module has no llvm.func; lower it first, with -p program-to-llvm
// RIGHT: y: 40 float32 {{.*}} ok
// SESSION: program.graph @main "planned"
// SESSION-NEXT: program.node "tanh" ({{.*}}) impl<"onnxruntime"{{.*}}> mem<output, 0> origin ["tanh", "relu"] :
program.graph @main "topology" (%x "x": tensor<40xf32>) {
  %0 = program.node "tanh" (%a = %x) : (tensor<40xf32>) -> tensor<40xf32> {
    %1 = snippets.tanh %a : tensor<40xf32>
    program.yield %1 : tensor<40xf32>
  }
  %2 = program.node "relu" (%a = %0) : (tensor<40xf32>) -> tensor<40xf32> {
    %3 = snippets.relu %a : tensor<40xf32>
    program.yield %3 : tensor<40xf32>
  }
  program.output %2 as "y" : tensor<40xf32>
}
