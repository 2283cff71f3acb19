// RUN: snippets-opt %s -p program-to-llvm,program-memory-dependencies,program-plan-memory,program-schedule --dump-program=%t.opt -o /dev/null
// RUN: filecheck %s --input-file=%t.opt/00_topology.mlir --check-prefix=TOPOLOGY
// RUN: filecheck %s --input-file=%t.opt/01_fused.mlir --check-prefix=FUSED
// RUN: filecheck %s --input-file=%t.opt/02_selected.mlir --check-prefix=SELECTED
// RUN: filecheck %s --input-file=%t.opt/04_scheduled.mlir --check-prefix=SCHEDULED
// RUN: snippets-run %t.opt/02_selected.mlir --resume --verify | filecheck %s --check-prefix=RIGHT
// RUN: snippets-run %s --dump-program=%t.run && filecheck %s --input-file=%t.run/01_fused.mlir --check-prefix=FUSED
// RUN: filecheck %s --input-file=%t.run/03_planned.mlir --check-prefix=PLANNED
// RUN: not ls %t.run/04_scheduled.mlir
// RUN: snippets-opt %S/../../docs/examples/softmax.mlir -p snippets-to-llvm --dump-program=%t.function -o /dev/null
// RUN: filecheck %s --input-file=%t.function/03_planned.mlir --check-prefix=FUNCTION
// RUN: not ls %t.function/00_topology.mlir
// RUN: not snippets-opt %s --split-input-file --dump-program=%t.split 2>&1 | filecheck %s --check-prefix=SPLIT

// TOPOLOGY: program.graph @main "topology"
// FUSED: program.graph @main "fused"
// FUSED: program.node "relu" ({{.*}}) origin ["tanh", "relu"] :
// SELECTED: program.node "relu" ({{.*}}) impl<"snippets"
// SCHEDULED: program.graph @main "scheduled"
// SCHEDULED: program.launch "relu" queue 0
// PLANNED: program.graph @main "planned"
// RIGHT: y: 40 float32 {{.*}} ok
// FUNCTION: program.graph @main "planned"
// SPLIT: error: --dump-program takes one module; do not split the input
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
