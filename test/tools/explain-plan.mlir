// RUN: snippets-opt %s -p snippets-to-lir,lir-optimize-domain --explain=lir-optimize-domain -o %t 2>&1 | filecheck %s
// RUN: snippets-opt %s -p snippets-to-lir,lir-optimize-domain --explain-plan lir-optimize-domain -o %t 2>&1 | filecheck %s
// RUN: snippets-opt %s -p snippets-to-lir,lir-optimize-domain 2>&1 | filecheck %s --check-prefix SILENT
// RUN: not snippets-opt %s -p snippets-to-lir --explain=lir-optimize-domain 2>&1 | filecheck %s --check-prefix ABSENT
// RUN: not snippets-opt %s -p cse --explain=cse 2>&1 | filecheck %s --check-prefix NONE
// RUN: not snippets-opt %s -p convert-host-to-program,program-print-memory --explain=program-print-memory 2>&1 | filecheck %s --check-prefix REPORT
// RUN: snippets-opt %s -p convert-host-to-program --explain=convert-host-to-program -o %t 2>&1 | filecheck %s --check-prefix HOST
// RUN: snippets-opt %s -p snippets-decompose-transpose --explain=snippets-decompose-transpose -o %t 2>&1 | filecheck %s --check-prefix EMPTY
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},snippets-to-llvm' --explain=lir-place-buffers-in-outputs,llvm-constants-to-memory -o %t 2>&1 | filecheck %s --check-prefix EMPTIES
// RUN: snippets-opt --list-patterns | filecheck %s --check-prefix PATTERNS

// The plan of each kernel is printed before it is carried out.
// CHECK:      lir-optimize-domain: @subgraph_0
// CHECK-NEXT: 4x8x16 -> 512, of dims (0, 1, 2)
// SILENT-NOT: lir-optimize-domain:
// ABSENT:     --explain: pass 'lir-optimize-domain' is not in the pipeline
// NONE:       --explain: pass 'cse' makes no plan
// REPORT:     --explain: pass 'program-print-memory' makes no plan, since it changes nothing
// HOST:      convert-host-to-program: @main
// HOST-NEXT: stage topology
// HOST-NEXT: "exp": node of snippets.exp
// EMPTY:      {{^}}snippets-decompose-transpose: the module{{$}}
// EMPTY-NEXT: {{^}}nothing{{$}}
// EMPTIES:      {{^}}lir-place-buffers-in-outputs: the module{{$}}
// EMPTIES-NEXT: {{^}}nothing{{$}}
// EMPTIES-NEXT: {{^}}llvm-constants-to-memory: the module{{$}}
// EMPTIES-NEXT: {{^}}nothing{{$}}
// PATTERNS:      snippets-mul-add-to-fma
// PATTERNS-NEXT:   multiply-add [f32-or-f64]  `a * b + c` is `fma(a, b, c)`.
func.func @main(%x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %0 = snippets.exp %x : tensor<4x8x16xf32>
  func.return %0 : tensor<4x8x16xf32>
}
