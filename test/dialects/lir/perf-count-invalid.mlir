// RUN: snippets-opt %s --split-input-file --verify-diagnostics

lir.kernel @k "looped" () -> () {
  // expected-error @+1 {{C1: expected a clock of monotonic, rdtsc, found 'sun'}}
  lir.perf_count_begin 0 {clock = "sun", label = "body"}
  lir.perf_count_end 0
}

// -----

lir.kernel @k "looped" () -> () {
  // expected-error @+1 {{C2: expected an end of counter 0 in the loops of its begin}}
  lir.perf_count_begin 0 {clock = "rdtsc", label = "body"}
}

// -----

lir.kernel @k "looped" () -> () loops [#lir.loop<0, work 8, inc 8, dim 0>] {
  // expected-error @+1 {{C2: expected an end of counter 0 in the loops of its begin}}
  lir.perf_count_begin 0 {clock = "rdtsc", label = "body"}
  lir.loop_begin 0
  lir.perf_count_end 0
  lir.loop_end 0
}

// -----

lir.kernel @k "looped" () -> () {
  // expected-error @+1 {{C2: expected an end of counter 0 in the loops of its begin}}
  lir.perf_count_begin 0 {clock = "rdtsc", label = "body"}
  lir.perf_count_begin 1 {clock = "rdtsc", label = "loop 0"}
  lir.perf_count_end 0
  lir.perf_count_end 1
}

// -----

lir.kernel @k "looped" () -> () {
  lir.perf_count_begin 0 {clock = "rdtsc", label = "body"}
  lir.perf_count_end 0
  // expected-error @+1 {{C3: expected a begin of counter 0 before its end}}
  lir.perf_count_end 0
}

// -----

lir.kernel @k "looped" () -> () {
  lir.perf_count_begin 0 {clock = "rdtsc", label = "body"}
  lir.perf_count_end 0
  // expected-error @+1 {{C4: counter 0 is 'body' before}}
  lir.perf_count_begin 0 {clock = "rdtsc", label = "loop 0"}
  lir.perf_count_end 0
}

// -----

// expected-error @+1 {{'lir.perf_count_end' expects parent op 'lir.kernel'}}
lir.perf_count_end 0
