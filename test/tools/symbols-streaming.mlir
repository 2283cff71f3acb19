// RUN: snippets-opt %s --symbols -p 'snippets-set-target{target=x86-64-avx512 cache=4096},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-insert-buffers,lir-insert-load-store,lir-stream-stores' --check-each | filecheck %s
// RUN: snippets-opt %s --symbols -p 'snippets-set-target{target=x86-64-avx512 cache=4096},snippets-to-lir,lir-to-vector' --check-each | filecheck %s --check-prefix WHOLE

// What a call's range is asked for is no question in an instance, which the interpreter runs.
// CHECK: lir.store {{.*}} {count = 16 : i64, nontemporal, nontemporal_from = 342 : i64
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.multiply %x, %y : tensor<?xf32>
  func.return %0 : tensor<?xf32>
}

// An instance may have a thread with nothing to do, whose shifted loop is empty.
// WHOLE: llvm.store {{.*}} {alignment = 64 : i64, nontemporal}
