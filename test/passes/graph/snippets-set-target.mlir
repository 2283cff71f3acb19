// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=3}' | filecheck %s --check-prefix=SET
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},snippets-set-target' | filecheck %s --check-prefix=KEEP
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx3}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not snippets-opt %s -p 'snippets-set-target{threads=-1}' 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: not snippets-opt %s -p 'snippets-set-target{threads=99999999}' 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not snippets-opt %s -p 'snippets-set-target{cache=9223372036854775808}' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic cache=4096 streaming=never},snippets-set-target' | filecheck %s --check-prefix=MEMORY
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic math=fast},snippets-set-target' | filecheck %s --check-prefix=MATH
// RUN: not snippets-opt %s -p 'snippets-set-target{cache=-1}' 2>&1 | filecheck %s --check-prefix=CACHE

// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids},snippets-set-target' | filecheck %s --check-prefix=TUNE
// RUN: not snippets-opt %s -p 'snippets-set-target{target=generic tune=sapphirerapids}' 2>&1 | filecheck %s --check-prefix=NO-TUNE
// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids},snippets-set-target{target=x86-64-avx2}' 2>&1 | filecheck %s --check-prefix=STALE

// SET: builtin.module attributes {snippets.target = "x86-64-avx2", snippets.threads = 3 : i64}
// KEEP: builtin.module attributes {snippets.target = "generic", snippets.threads = 0 : i64}
// UNKNOWN: error: pass 'snippets-set-target': unknown target 'x86-64-avx3'; did you mean 'x86-64-avx
// THREADS: error: pass 'snippets-set-target': expected threads of 0 to 1024, found -1
// MANY: error: pass 'snippets-set-target': expected threads of 0 to 1024, found 99999999
// LARGE: error: pass 'snippets-set-target': expected cache of 0 to 9223372036854775807, found 9223372036854775808
// MEMORY: snippets.cache = 4096 : i64, snippets.streaming = "never"}
// MATH: snippets.math = "fast"
// TUNE: snippets.target = "x86-64-avx512", snippets.tune = "sapphirerapids", snippets.threads = 0 : i64}
// NO-TUNE: error: pass 'snippets-set-target': target 'generic' has no tune 'sapphirerapids'; it has: none
// STALE: error: pass 'snippets-set-target': target 'x86-64-avx2' has no tune 'sapphirerapids'; it has: none
// CACHE: error: pass 'snippets-set-target': expected cache of 0 to 9223372036854775807, found -1
func.func @f() {
  func.return
}
