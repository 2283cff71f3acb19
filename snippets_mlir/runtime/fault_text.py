"""LLVM's text of the segfault detector's signal handler.

    void snippets_watch(const int64_t *records, int64_t count, const char *const *const *sites);
    void snippets_fault(int signal, siginfo_t *info, void *context);
    struct sigaction snippets_old[2];                      what was there before: SEGV, BUS

`snippets_watch` says where the records are that kernels write to (`runtime/fault.py`) and what
their sites are: for each a list of texts that ends with null, the site and the names of its loops.
`snippets_fault` looks for the record of its own thread, writes a line to standard error with one
`write`, puts the old handler back and returns: the access faults again, and is handled as without
the detector. It calls only what may be called in a handler (`write`, `sigaction`, `raise`), takes
no lock and no memory but its stack. For a thread that is in no kernel no line is written.

`@text` appends a C string to a buffer of which the first word is the length, `@digits` a number.
"""

LINE_BYTES = 1000

TEXT = f"""
%line = type {{ i64, [{LINE_BYTES} x i8] }}

@snippets_old = global [2 x [152 x i8]] zeroinitializer, align 16
@records = internal global ptr null, align 8
@count = internal global i64 0, align 8
@sites = internal global ptr null, align 8
@segv = internal constant [27 x i8] c"snippets_mlir: SIGSEGV in \\00"
@bus = internal constant [26 x i8] c"snippets_mlir: SIGBUS in \\00"
@iteration = internal constant [13 x i8] c", iteration \\00"
@of = internal constant [5 x i8] c" of \\00"
@pointer = internal constant [13 x i8] c", pointer 0x\\00"
@address = internal constant [22 x i8] c", faulting address 0x\\00"
@newline = internal constant [2 x i8] c"\\0A\\00"

declare i64 @write(i32, ptr, i64)
declare i32 @sigaction(i32, ptr, ptr)
declare i32 @raise(i32)
declare ptr @llvm.thread.pointer.p0()

define void @snippets_watch(ptr %records, i64 %count, ptr %sites) {{
  store atomic i64 0, ptr @count seq_cst, align 8
  store atomic ptr %records, ptr @records seq_cst, align 8
  store atomic ptr %sites, ptr @sites seq_cst, align 8
  store atomic i64 %count, ptr @count seq_cst, align 8
  ret void
}}

define internal void @text(ptr %line, ptr %source) {{
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %following, %put ]
  %from = getelementptr i8, ptr %source, i64 %i
  %char = load i8, ptr %from, align 1
  %length = load i64, ptr %line, align 8
  %ends = icmp eq i8 %char, 0
  %full = icmp uge i64 %length, {LINE_BYTES}
  %stop = or i1 %ends, %full
  br i1 %stop, label %done, label %put
put:
  %to = getelementptr %line, ptr %line, i32 0, i32 1, i64 %length
  store i8 %char, ptr %to, align 1
  %longer = add i64 %length, 1
  store i64 %longer, ptr %line, align 8
  %following = add i64 %i, 1
  br label %next
done:
  ret void
}}

define internal void @digits(ptr %line, i64 %number, i64 %base) {{
entry:
  %buffer = alloca [32 x i8], align 1
  %last = getelementptr [32 x i8], ptr %buffer, i32 0, i64 31
  store i8 0, ptr %last, align 1
  br label %next
next:
  %rest = phi i64 [ %number, %entry ], [ %quotient, %next ]
  %end = phi ptr [ %last, %entry ], [ %place, %next ]
  %digit = urem i64 %rest, %base
  %quotient = udiv i64 %rest, %base
  %decimal = icmp ult i64 %digit, 10
  %offset = select i1 %decimal, i64 48, i64 87
  %char = add i64 %digit, %offset
  %byte = trunc i64 %char to i8
  %place = getelementptr i8, ptr %end, i64 -1
  store i8 %byte, ptr %place, align 1
  %more = icmp ne i64 %quotient, 0
  br i1 %more, label %next, label %done
done:
  call void @text(ptr %line, ptr %place)
  ret void
}}

define internal void @report(i32 %signal, ptr %info, ptr %record) {{
entry:
  %line = alloca %line, align 8
  store i64 0, ptr %line, align 8
  %number.p = getelementptr i64, ptr %record, i64 1
  %number = load volatile i64, ptr %number.p, align 8
  %any = icmp ne i64 %number, 0
  br i1 %any, label %begin, label %done
begin:
  %is.bus = icmp eq i32 %signal, 7
  %name = select i1 %is.bus, ptr @bus, ptr @segv
  call void @text(ptr %line, ptr %name)
  %sites = load atomic ptr, ptr @sites seq_cst, align 8
  %index = sub i64 %number, 1
  %site.p = getelementptr ptr, ptr %sites, i64 %index
  %site = load ptr, ptr %site.p, align 8
  %what = load ptr, ptr %site, align 8
  call void @text(ptr %line, ptr %what)
  br label %loops
loops:
  %i = phi i64 [ 1, %begin ], [ %following, %loop ]
  %loop.p = getelementptr ptr, ptr %site, i64 %i
  %loop.name = load ptr, ptr %loop.p, align 8
  %named = icmp ne ptr %loop.name, null
  br i1 %named, label %loop, label %end
loop:
  call void @text(ptr %line, ptr @iteration)
  %word = add i64 %i, 3
  %counter.p = getelementptr i64, ptr %record, i64 %word
  %counter = load volatile i64, ptr %counter.p, align 8
  call void @digits(ptr %line, i64 %counter, i64 10)
  call void @text(ptr %line, ptr @of)
  call void @text(ptr %line, ptr %loop.name)
  %following = add i64 %i, 1
  br label %loops
end:
  call void @text(ptr %line, ptr @pointer)
  %pointer.p = getelementptr i64, ptr %record, i64 2
  %pointer.value = load volatile i64, ptr %pointer.p, align 8
  call void @digits(ptr %line, i64 %pointer.value, i64 16)
  call void @text(ptr %line, ptr @address)
  %address.p = getelementptr i8, ptr %info, i64 16
  %address.value = load i64, ptr %address.p, align 8
  call void @digits(ptr %line, i64 %address.value, i64 16)
  call void @text(ptr %line, ptr @newline)
  %length = load i64, ptr %line, align 8
  %chars = getelementptr %line, ptr %line, i32 0, i32 1
  %written = call i64 @write(i32 2, ptr %chars, i64 %length)
  br label %done
done:
  ret void
}}

define void @snippets_fault(i32 %signal, ptr %info, ptr %context) {{
entry:
  %count = load atomic i64, ptr @count seq_cst, align 8
  %records = load atomic ptr, ptr @records seq_cst, align 8
  %self = call ptr @llvm.thread.pointer.p0()
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %following, %other ]
  %some = icmp ult i64 %i, %count
  br i1 %some, label %look, label %leave
look:
  %first = mul i64 %i, 16
  %record = getelementptr i64, ptr %records, i64 %first
  %thread = load volatile ptr, ptr %record, align 8
  %mine = icmp eq ptr %thread, %self
  br i1 %mine, label %found, label %other
other:
  %following = add i64 %i, 1
  br label %next
found:
  call void @report(i32 %signal, ptr %info, ptr %record)
  br label %leave
leave:
  %is.bus = icmp eq i32 %signal, 7
  %which = zext i1 %is.bus to i64
  %old = getelementptr [2 x [152 x i8]], ptr @snippets_old, i32 0, i64 %which
  %restored = call i32 @sigaction(i32 %signal, ptr %old, ptr null)
  %code.p = getelementptr i8, ptr %info, i64 8
  %code = load i32, ptr %code.p, align 4
  %sent = icmp sle i32 %code, 0
  br i1 %sent, label %again, label %done
again:
  %raised = call i32 @raise(i32 %signal)
  br label %done
done:
  ret void
}}
"""
