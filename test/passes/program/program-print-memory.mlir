// RUN: snippets-opt %s -p program-memory-dependencies,program-plan-memory,program-print-memory -o /dev/null | filecheck %s
// RUN: snippets-opt %s -p program-memory-dependencies{queue=out-of-order},program-plan-memory,program-schedule{queues=2},program-print-memory -o /dev/null | filecheck %s --check-prefix OUT
// RUN: snippets-opt %s -p program-memory-dependencies,program-plan-memory,program-print-memory{format=svg} -o /dev/null | filecheck %s --check-prefix SVG
// RUN: snippets-opt %s -p program-memory-dependencies,program-plan-memory,program-print-memory{file=%t.svg} -o /dev/null
// RUN: filecheck %s --check-prefix SVG < %t.svg
// RUN: snippets-opt %s -p "program-memory-dependencies,program-plan-memory,program-print-memory{format=text file=%t.svg}" -o /dev/null
// RUN: filecheck %s < %t.svg
// RUN: not snippets-opt %s -p program-print-memory 2>&1 | filecheck %s --check-prefix EARLY
// RUN: not snippets-opt %s -p program-print-memory{format=png} 2>&1 | filecheck %s --check-prefix FORMAT
// RUN: not snippets-opt %s -p program-memory-dependencies,program-plan-memory,program-print-memory{file=no/such/folder} 2>&1 | filecheck %s --check-prefix FILE

// EARLY: error: pass 'program-print-memory': expected @main at stage planned or scheduled, found "selected"
// FORMAT: error: {{.*}}format: expected text or svg, found 'png'
// FILE: error: {{.*}}cannot write no/such/folder: No such file or directory

// CHECK: graph @main, in-order queue: an arena of 131072 bytes, 131072 live at most
// CHECK-NEXT: "A": 65536 bytes live: "A" [0, 65536)
// CHECK-NEXT: "B": 131072 bytes live: "A" [0, 65536) "B" [65536, 131072)
// CHECK-NEXT: "C": 98304 bytes live: "B" [65536, 131072) "C" [0, 32768)
// CHECK-NEXT: "D": 131072 bytes live: "B" [65536, 131072) "C" [0, 32768) "D" [32768, 65536)
// CHECK-NEXT: "E": 98304 bytes live: "C" [0, 32768) "D" [32768, 65536) "E" [65536, 98304)
// CHECK-NEXT: "F": 65536 bytes live: "D" [32768, 65536) "E" [65536, 98304)
// CHECK-NEXT: graph @small, in-order queue: an arena of 0 bytes, 0 live at most
// CHECK-NEXT: "<a&b>": nothing live
// CHECK-NEXT: graph @empty, in-order queue: an arena of 0 bytes, 0 live at most

// OUT: graph @main, out-of-order queue: an arena of 163840 bytes, 131072 live at most
// OUT: "E": {{.*}} "E" [131072, 163840)

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: <title>B: 131072 bytes live</title>
// SVG: <title>A [0, 65536), live from A to B</title><rect x="340" y="63" width="320" height="42"
// SVG: <title>E [65536, 98304), live from E to F</title><rect x="660" y="151" width="160" height="42"
// SVG: &lt;a&amp;b&gt;
program.graph @main "selected" (%x: tensor<2x8192xf32>) {
  %a = program.node "A" (%v0 = %x) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.relu %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  %b = program.node "B" (%v0 = %a) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<2x8192xf32> {
    %r = snippets.negative %v0 : tensor<2x8192xf32>
    program.yield %r : tensor<2x8192xf32>
  }
  %c = program.node "C" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_max %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  %d = program.node "D" (%v0 = %b) impl<"reference"> : (tensor<2x8192xf32>) -> tensor<8192xf32> {
    %r = snippets.reduce_min %v0 {axes = array<i64: 0>} : (tensor<2x8192xf32>) -> tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  %e = program.node "E" (%v0 = %c) impl<"reference"> : (tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.negative %v0 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  %f = program.node "F" (%v0 = %d, %v1 = %e) impl<"reference"> : (tensor<8192xf32>, tensor<8192xf32>) -> tensor<8192xf32> {
    %r = snippets.add %v0, %v1 : tensor<8192xf32>
    program.yield %r : tensor<8192xf32>
  }
  program.output %f as "y" : tensor<8192xf32>
}

program.graph @small "selected" (%x: tensor<4xf32>) {
  %a = program.node "<a&b>" (%v = %x) impl<"reference"> : (tensor<4xf32>) -> tensor<4xf32> {
    %r = snippets.relu %v : tensor<4xf32>
    program.yield %r : tensor<4xf32>
  }
  program.output %a as "y" : tensor<4xf32>
}

program.graph @empty "selected" () {
  program.output
}
