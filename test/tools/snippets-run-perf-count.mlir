// RUN: snippets-run %s --perf-count --perf-csv=%t.csv | filecheck %s --check-prefix=BODY
// RUN: cat %t.csv | filecheck %s --check-prefix=CSV
// RUN: snippets-run %s --perf-count=loops --perf-clock=rdtsc --target=generic --num-threads=1 | filecheck %s --check-prefix=LOOPS
// RUN: snippets-run --perf-count loops %s --perf-clock rdtsc --target=generic --num-threads=1 | filecheck %s --check-prefix=LOOPS
// RUN: snippets-run --perf-count %s | filecheck %s --check-prefix=BODY
// RUN: snippets-run %s --perf-count=expressions --target=generic --num-threads=1 --json | filecheck %s --check-prefix=JSON
// RUN: snippets-run %s --perf-csv=%t.csv | filecheck %s --check-prefix=NONE
// RUN: not snippets-run %s --perf-count=body --perf-clock=sun 2>&1 | filecheck %s --check-prefix=CLOCK
// RUN: not snippets-run %s --perf-clock=moon 2>&1 | filecheck %s --check-prefix=MOON
// RUN: not snippets-run %s --perf-clock=rdtsc 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: not snippets-run %s --perf-count=opps 2>&1 | filecheck %s --check-prefix=PLACE
// RUN: not snippets-run %s --perf-count --perf-csv=%t.csv/no 2>&1 | filecheck %s --check-prefix=FILE

// BODY: out0: 40 float32
// BODY-NEXT: kernel      counted  position
// BODY-NEXT: subgraph_0  body     {{.*}}snippets-run-perf-count.mlir:{{[0-9]+}}:{{[0-9]+}}      {{ *1  *[1-9][0-9]* ns  *[0-9.]+ ns}}

// CSV: kernel,label,position,unit,calls,total,average
// CSV-NEXT: subgraph_0,body,{{.*}}snippets-run-perf-count.mlir:{{[0-9]+:[0-9]+}},ns,1,{{[0-9]+,[0-9.]+}}

// LOOPS: subgraph_0  loop 0{{.*}} 1  {{ *[1-9][0-9]* cycles}}

// JSON: "perf": [
// JSON: "label": "snippets.abs",
// JSON-NEXT: "position": "{{.*}}snippets-run-perf-count.mlir:36:3"
// JSON-NEXT: "unit": "ns",
// JSON-NEXT: "calls": 10,

// NONE: no counters: no kernel with counters was run
// CLOCK: error: perf_clock: expected one of monotonic, rdtsc, found 'sun'
// MOON: error: perf_clock: expected one of monotonic, rdtsc, found 'moon'
// ALONE: error: perf_clock: rdtsc needs perf_count, which says what to count
// PLACE: error: perf_count: expected one of body, loops, expressions, found 'opps'
// FILE: no: error: cannot write it: Not a directory
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %0 = snippets.abs %x : tensor<40xf32>
  func.return %0 : tensor<40xf32>
}
