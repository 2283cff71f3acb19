// RUN: snippets-run %s --streams=1 --requests=3 --iterations=5 --num-threads=1 --mark-skipped=none --profile=%t.csv --trace=%t.json --exec-graph=%t.mlir --verify | filecheck %s
// RUN: filecheck %s --check-prefix=CSV --input-file=%t.csv
// RUN: filecheck %s --check-prefix=TRACE --input-file=%t.json
// RUN: filecheck %s --check-prefix=GRAPH --input-file=%t.mlir
// CHECK: out0: 3x5 float32 max_abs={{.*}} ok
// CHECK-NEXT: 5 run(s) in {{[0-9.]+}} ms on 1 stream(s) of 1 thread(s), 3 request(s): {{[0-9.]+}}/s
// CSV: stream,node,state,kind,kernel,begin (us),time (us)
// CSV-NEXT: 0,snippets.negative,executed,kernel,subgraph_0,0.0,
// CSV-NEXT: 0,Floor,executed,execute,,
// CSV-NEXT: 0,snippets.add,executed,kernel,subgraph_1,{{[0-9.]+,[0-9.]+}}
// CSV-NEXT: 0,y,fused into snippets.add,kernel,subgraph_1,,
// TRACE: "traceEvents"
// TRACE: "name": "snippets.negative"
// TRACE: "ph": "X"
// GRAPH: %v{{[0-9]+}} = onnx.node "snippets"(%arg0) {{.*}}node_name = "snippets.negative", attributes = {computes = ["snippets.negative"], kernel = "subgraph_0", domain = 15 : i64, threads = 1 : i64, scratch = 0 : i64, memory = ["arena [{{[0-9]+, [0-9]+}})"], time_ns = {{[0-9]+}} : i64}
// GRAPH-NEXT: onnx.node "onnxruntime"({{.*}}memory = ["arena {{.*}}time_ns
// GRAPH-NEXT: %out0 = onnx.node "snippets"({{.*}}memory = ["output out0"], time_ns
// The graph is text like any other.
// RUN: snippets-opt %t.mlir | filecheck %s --check-prefix=GRAPH

// A dumped tensor is an input of another run.
// RUN: snippets-run %s --num-threads=1 --mark-skipped=none --dump-tensors=%t.dir --layers=snippets.add
// RUN: snippets-run %s --num-threads=1 --mark-skipped=none --input=arg0=%t.dir/002_subgraph_1_0.npy --verify | filecheck %s --check-prefix=AGAIN
// AGAIN: out0: 3x5 float32 max_abs={{.*}} ok
// RUN: snippets-run %s --num-threads=1 --mark-skipped=none --input=%t.dir/inputs.npz --verify | filecheck %s --check-prefix=AGAIN
// RUN: not snippets-run %s --input=%t.csv.npz 2>&1 | filecheck %s --check-prefix=GONE
// GONE: .csv.npz: error: cannot read it: No such file or directory

// RUN: not snippets-run %s --streams=0 2>&1 | filecheck %s --check-prefix=NONE
// NONE: error: streams: expected 1 to {{[0-9]+}}, a core for each, found 0
// RUN: not snippets-run %s --requests=0 2>&1 | filecheck %s --check-prefix=REQUESTS
// REQUESTS: error: --requests: expected 1 or more, found 0
// RUN: not snippets-run %s --iterations=0 2>&1 | filecheck %s --check-prefix=ITERATIONS
// ITERATIONS: error: --iterations: expected 1 or more, found 0
// RUN: not snippets-run %s --layers=x 2>&1 | filecheck %s --check-prefix=LAYERS
// LAYERS: error: --layers needs --dump-tensors
// RUN: not snippets-run %s --mark-skipped=none --dump-tensors=%t.none --layers=conv 2>&1 | filecheck %s --check-prefix=FITS
// FITS: error: --layers: no step or node fits 'conv'; steps are subgraph_0, Floor, subgraph_1
// RUN: not snippets-run %s --dump-tensors=%t.none --layers='(' 2>&1 | filecheck %s --check-prefix=REGEX
// REGEX: error: --layers: '(' is not a regular expression: missing )
// RUN: not snippets-run %s --profile=%t.none/x.csv 2>&1 | filecheck %s --check-prefix=FILE
// FILE: x.csv: error: cannot write it: No such file or directory
// RUN: not snippets-run %s --exec-graph=%t.dot 2>&1 | filecheck %s --check-prefix=SUFFIX
// SUFFIX: error: execution graph: expected a file .mlir or .onnx, found '.dot'
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = snippets.negative %x : tensor<3x5xf32>
  %1 = onnx.node "Floor"(%0) {domain = "", version = 13 : i64} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = snippets.add %1, %x : tensor<3x5xf32>
  %y = snippets.softmax %2 {axis = 1 : i64} : tensor<3x5xf32>
  func.return %y : tensor<3x5xf32>
}
