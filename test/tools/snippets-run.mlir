// RUN: snippets-run %s --verify --seed 3 | filecheck %s
// RUN: snippets-run %s | filecheck %s --check-prefix=PLAIN
// RUN: snippets-run %s --report --num-threads 1 | filecheck %s --check-prefix=REPORT
// RUN: snippets-run %s --bench | filecheck %s --check-prefix=BENCH
// RUN: snippets-run %s --verify --json | filecheck %s --check-prefix=JSON
// RUN: snippets-run %s --target generic --verify | filecheck %s
// RUN: snippets-run %s --math fast --verify | filecheck %s
// RUN: snippets-run %s --entry other --verify | filecheck %s --check-prefix=OTHER
// RUN: rm -rf %t && snippets-run %s --output-dir %t/results && ls %t/results | filecheck %s --check-prefix=FILES
// RUN: snippets-run %s --input x=%t/results/sum.npy --verify | filecheck %s

// One line for each output, in order.
// CHECK: sum: 3x5 float32 max_abs=0 max_rel=0 ok
// CHECK-NEXT: larger: 3x5 bool max_abs=0 max_rel=0 ok
// CHECK-NEXT: number: scalar int64 max_abs=0 max_rel=0 ok
// CHECK-NEXT: nothing: 0x4 float32 max_abs=0 max_rel=0 ok
// CHECK-NOT: {{.}}

// PLAIN: sum: 3x5 float32{{$}}

// REPORT: kernel(s), 0 op(s) in no kernel
// REPORT: kernel {{.*}}: snippets.add
// REPORT-NEXT: {{[0-9]}} loops {{.*}}, 0 buffers, 0 bytes of scratchpad a thread, domain {{[0-9]+}}
// REPORT: threads 1

// BENCH: bench: {{[0-9.]+}} ms, the interpreter {{[0-9.]+}} ms, {{[0-9.]+}}x as fast

// JSON: "outputs": [
// JSON: "name": "sum",
// JSON: "shape": [
// JSON: "dtype": "float32",
// JSON-NEXT: "max_abs": 0.0,
// JSON-NEXT: "max_rel": 0.0,
// JSON-NEXT: "ok": true
// JSON: "kernels": [
// JSON: "loops": {{[0-9]+}},
// JSON-NEXT: "nest": "{{.*}}",
// JSON-NEXT: "buffers": 0,
// JSON-NEXT: "scratch": 0,
// JSON-NEXT: "domain": {{[0-9]+}},
// JSON-NEXT: "reason": null
// JSON: "opaque": [],
// JSON-NEXT: "bench": null

// OTHER: out0: 2 float64 max_abs={{.*}} ok

// FILES: larger.npy
// FILES-NEXT: nothing.npy
// FILES-NEXT: number.npy
// FILES-NEXT: sum.npy

func.func @main(%x: tensor<3x5xf32> {snippets.name = "x"}, %y: tensor<5xf32> {snippets.name = "y"},
                %n: tensor<i64> {snippets.name = "n"}, %e: tensor<0x4xf32>)
    -> (tensor<3x5xf32> {snippets.name = "sum"}, tensor<3x5xi1> {snippets.name = "larger"},
        tensor<i64> {snippets.name = "number"}, tensor<0x4xf32> {snippets.name = "nothing"}) {
  %0 = snippets.add %x, %y : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  %1 = snippets.greater %x, %y : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xi1>
  %2 = snippets.multiply %n, %n : tensor<i64>
  %3 = snippets.negative %e : tensor<0x4xf32>
  func.return %0, %1, %2, %3 : tensor<3x5xf32>, tensor<3x5xi1>, tensor<i64>, tensor<0x4xf32>
}

func.func @other(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = snippets.exp %x : tensor<2xf64>
  func.return %0 : tensor<2xf64>
}
