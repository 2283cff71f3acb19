@snippets_old = global [38 x i64] [i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0, i64 0], align 8

@watch = internal global [3 x i64] [i64 0, i64 0, i64 0], align 8

declare i32 @sigaction(i32, ptr, ptr)

declare i32 @raise(i32)

define internal void @add_text(ptr %a0, ptr %a1) {
b0:
  br label %b1
b1:
  %v0 = phi i64 [ 0, %b0 ], [ %v12, %b3 ]
  %v1 = getelementptr i8, ptr %a1, i64 %v0
  %v2 = load i8, ptr %v1, align 1
  %v3 = getelementptr { i64, [1000 x i8] }, ptr %a0, i32 0, i32 0
  %v4 = load i64, ptr %v3, align 8
  %v5 = icmp uge i64 %v4, 1000
  %v6 = icmp eq i8 %v2, 0
  %v7 = or i1 %v6, %v5
  br i1 %v7, label %b2, label %b3
b2:
  ret void
b3:
  %v8 = getelementptr { i64, [1000 x i8] }, ptr %a0, i32 0, i32 1
  %v9 = getelementptr i8, ptr %v8, i64 %v4
  store i8 %v2, ptr %v9, align 1
  %v10 = add i64 %v4, 1
  %v11 = getelementptr { i64, [1000 x i8] }, ptr %a0, i32 0, i32 0
  store i64 %v10, ptr %v11, align 8
  %v12 = add i64 %v0, 1
  br label %b1
}

define internal void @add_number(ptr %a0, i64 %a1, i64 %a2) {
b0:
  %v0 = alloca [32 x i8], i64 1, align 8
  %v1 = getelementptr i8, ptr %v0, i32 31
  store i8 0, ptr %v1, align 1
  br label %b1
b1:
  %v2 = phi i64 [ 0, %b0 ], [ %v13, %b3 ]
  %v3 = phi i64 [ %a1, %b0 ], [ %v11, %b3 ]
  %v4 = phi ptr [ %v1, %b0 ], [ %v9, %b3 ]
  %v5 = urem i64 %v3, %a2
  %v6 = icmp ult i64 %v5, 10
  %v7 = select i1 %v6, i64 48, i64 87
  %v8 = add i64 %v5, %v7
  %v9 = getelementptr i8, ptr %v4, i64 -1
  %v10 = trunc i64 %v8 to i8
  store i8 %v10, ptr %v9, align 1
  %v11 = udiv i64 %v3, %a2
  %v12 = icmp eq i64 %v11, 0
  br i1 %v12, label %b2, label %b3
b2:
  call void @add_text(ptr %a0, ptr %v9)
  ret void
b3:
  %v13 = add i64 %v2, 1
  br label %b1
}

@segv = internal constant [27 x i8] c"snippets_mlir: SIGSEGV in \00"

@bus = internal constant [26 x i8] c"snippets_mlir: SIGBUS in \00"

@iteration = internal constant [13 x i8] c", iteration \00"

@of = internal constant [5 x i8] c" of \00"

@pointer = internal constant [13 x i8] c", pointer 0x\00"

@address = internal constant [22 x i8] c", faulting address 0x\00"

@newline = internal constant [2 x i8] c"\0A\00"

declare i64 @write(i32, ptr, i64)

define internal void @report(i32 %a0, ptr %a1, ptr %a2) {
b0:
  %v0 = alloca { i64, [1000 x i8] }, i64 1, align 8
  %v1 = getelementptr { i64, [1000 x i8] }, ptr %v0, i32 0, i32 0
  store i64 0, ptr %v1, align 8
  %v2 = getelementptr { ptr, i64, i64, i64, [12 x i64] }, ptr %a2, i32 0, i32 1
  %v3 = load volatile i64, ptr %v2, align 8
  %v4 = icmp eq i64 %v3, 0
  br i1 %v4, label %b1, label %b2
b1:
  ret void
b2:
  %v5 = icmp eq i32 %a0, 7
  %v6 = select i1 %v5, ptr @bus, ptr @segv
  call void @add_text(ptr %v0, ptr %v6)
  %v7 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 2
  %v8 = load atomic ptr, ptr %v7 seq_cst, align 8
  %v9 = sub i64 %v3, 1
  %v10 = getelementptr ptr, ptr %v8, i64 %v9
  %v11 = load ptr, ptr %v10, align 8
  %v12 = getelementptr ptr, ptr %v11, i32 0
  %v13 = load ptr, ptr %v12, align 8
  call void @add_text(ptr %v0, ptr %v13)
  %v14 = getelementptr { ptr, i64, i64, i64, [12 x i64] }, ptr %a2, i32 0, i32 4
  br label %b3
b3:
  %v15 = phi i64 [ 0, %b2 ], [ %v33, %b5 ]
  %v16 = add i64 %v15, 1
  %v17 = getelementptr ptr, ptr %v11, i64 %v16
  %v18 = load ptr, ptr %v17, align 8
  %v19 = ptrtoint ptr %v18 to i64
  %v20 = ptrtoint ptr null to i64
  %v21 = icmp eq i64 %v19, %v20
  br i1 %v21, label %b4, label %b5
b4:
  call void @add_text(ptr %v0, ptr @pointer)
  %v22 = getelementptr { ptr, i64, i64, i64, [12 x i64] }, ptr %a2, i32 0, i32 2
  %v23 = load volatile i64, ptr %v22, align 8
  call void @add_number(ptr %v0, i64 %v23, i64 16)
  call void @add_text(ptr %v0, ptr @address)
  %v24 = getelementptr { i32, i32, i32, ptr }, ptr %a1, i32 0, i32 3
  %v25 = load ptr, ptr %v24, align 8
  %v26 = ptrtoint ptr %v25 to i64
  call void @add_number(ptr %v0, i64 %v26, i64 16)
  call void @add_text(ptr %v0, ptr @newline)
  %v27 = getelementptr { i64, [1000 x i8] }, ptr %v0, i32 0, i32 0
  %v28 = load i64, ptr %v27, align 8
  %v29 = getelementptr { i64, [1000 x i8] }, ptr %v0, i32 0, i32 1
  %v30 = call i64 @write(i32 2, ptr %v29, i64 %v28)
  ret void
b5:
  call void @add_text(ptr %v0, ptr @iteration)
  %v31 = getelementptr i64, ptr %v14, i64 %v15
  %v32 = load volatile i64, ptr %v31, align 8
  call void @add_number(ptr %v0, i64 %v32, i64 10)
  call void @add_text(ptr %v0, ptr @of)
  call void @add_text(ptr %v0, ptr %v18)
  %v33 = add i64 %v15, 1
  br label %b3
}

define void @snippets_watch(ptr %a0, i64 %a1, ptr %a2) {
b0:
  %v0 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 1
  store atomic i64 0, ptr %v0 seq_cst, align 8
  %v1 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 0
  store atomic ptr %a0, ptr %v1 seq_cst, align 8
  %v2 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 2
  store atomic ptr %a2, ptr %v2 seq_cst, align 8
  %v3 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 1
  store atomic i64 %a1, ptr %v3 seq_cst, align 8
  ret void
}

define void @snippets_fault(i32 %a0, ptr %a1, ptr %a2) {
b0:
  %v0 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 1
  %v1 = load atomic i64, ptr %v0 seq_cst, align 8
  %v2 = getelementptr { ptr, i64, ptr }, ptr @watch, i32 0, i32 0
  %v3 = load atomic ptr, ptr %v2 seq_cst, align 8
  %v4 = call ptr @llvm.thread.pointer.p0()
  br label %b1
b1:
  %v5 = phi i64 [ 0, %b0 ], [ %v21, %b7 ]
  %v6 = icmp eq i64 %v5, %v1
  br i1 %v6, label %b4, label %b2
b2:
  %v7 = getelementptr { ptr, i64, i64, i64, [12 x i64] }, ptr %v3, i64 %v5
  %v8 = getelementptr { ptr, i64, i64, i64, [12 x i64] }, ptr %v7, i32 0, i32 0
  %v9 = load volatile ptr, ptr %v8, align 8
  %v10 = ptrtoint ptr %v9 to i64
  %v11 = ptrtoint ptr %v4 to i64
  %v12 = icmp eq i64 %v10, %v11
  br i1 %v12, label %b3, label %b7
b3:
  call void @report(i32 %a0, ptr %a1, ptr %v7)
  br label %b4
b4:
  %v13 = icmp eq i32 %a0, 7
  %v14 = zext i1 %v13 to i64
  %v15 = getelementptr { ptr, [16 x i64], i32, ptr }, ptr @snippets_old, i64 %v14
  %v16 = call i32 @sigaction(i32 %a0, ptr %v15, ptr null)
  %v17 = getelementptr { i32, i32, i32, ptr }, ptr %a1, i32 0, i32 2
  %v18 = load i32, ptr %v17, align 4
  %v19 = icmp sle i32 %v18, 0
  br i1 %v19, label %b5, label %b6
b5:
  %v20 = call i32 @raise(i32 %a0)
  br label %b6
b6:
  ret void
b7:
  %v21 = add i64 %v5, 1
  br label %b1
}
