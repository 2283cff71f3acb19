define void @snippets_range(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) {
b0:
  %v0 = icmp uge i64 %a2, %a3
  br i1 %v0, label %b1, label %b2
b1:
  ret void
b2:
  %v1 = sub i64 %a3, %a2
  %v2 = udiv i64 %v1, %a5
  %v3 = icmp ne i64 %a6, 0
  %v4 = icmp uge i64 %v2, 128
  %v5 = and i1 %v3, %v4
  br i1 %v5, label %b3, label %b4
b3:
  %v6 = and i64 %a6, 255
  %v7 = getelementptr { ptr, ptr, ptr }, ptr %a1, i32 0, i32 0
  %v8 = load ptr, ptr %v7, align 8
  %v9 = lshr i64 %a6, 8
  %v10 = getelementptr i64, ptr %v8, i64 %v9
  %v11 = load i64, ptr %v10, align 8
  %v12 = mul i64 %a2, %v6
  %v13 = add i64 %v11, %v12
  %v14 = sub i64 0, %v13
  %v15 = and i64 %v14, 63
  %v16 = urem i64 %v15, %v6
  %v17 = icmp eq i64 %v16, 0
  %v18 = udiv i64 %v15, %v6
  %v19 = select i1 %v17, i64 %v18, i64 0
  br label %b5
b4:
  br label %b5
b5:
  %v20 = phi i64 [ %v19, %b3 ], [ 0, %b4 ]
  %v21 = icmp ne i64 %v20, 0
  br i1 %v21, label %b6, label %b7
b6:
  %v22 = add i64 %a2, %a5
  call void %a0(ptr %a1, i64 %a2, i64 %v22, i64 %a4)
  br label %b7
b7:
  %v23 = add i64 %a2, %v20
  %v24 = sub i64 %v2, 1
  %v25 = mul i64 %v24, %a5
  %v26 = add i64 %v23, %v25
  %v27 = select i1 %v21, i64 %v26, i64 %a3
  call void %a0(ptr %a1, i64 %v23, i64 %v27, i64 %a4)
  br i1 %v21, label %b8, label %b9
b8:
  %v28 = add i64 %a2, %v25
  call void %a0(ptr %a1, i64 %v28, i64 %a3, i64 %a4)
  br label %b9
b9:
  ret void
}

define internal void @snippets_part(ptr %a0, i64 %a1, i64 %a2) {
b0:
  %v0 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 3
  %v1 = load i64, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v3 = load i64, ptr %v2, align 8
  %v4 = add i64 %v1, %v3
  %v5 = sub i64 %v4, 1
  %v6 = udiv i64 %v5, %v3
  %v7 = udiv i64 %v6, %a2
  %v8 = urem i64 %v6, %a2
  %v9 = mul i64 %v7, %a1
  %v10 = call i64 @llvm.umin.i64(i64 %a1, i64 %v8)
  %v11 = add i64 %v9, %v10
  %v12 = icmp ult i64 %a1, %v8
  %v13 = zext i1 %v12 to i64
  %v14 = add i64 %v7, %v13
  %v15 = add i64 %v11, %v14
  %v16 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 0
  %v17 = load ptr, ptr %v16, align 8
  %v18 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 3
  %v19 = load i64, ptr %v18, align 8
  %v20 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v21 = load i64, ptr %v20, align 8
  %v22 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 5
  %v23 = load i64, ptr %v22, align 8
  %v24 = mul i64 %v15, %v21
  %v25 = call i64 @llvm.umin.i64(i64 %v24, i64 %v19)
  %v26 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 2
  %v27 = mul i64 %v11, %v21
  call void @snippets_range(ptr %v17, ptr %v26, i64 %v27, i64 %v25, i64 %a1, i64 %v21, i64 %v23)
  ret void
}

define internal void @snippets_slice(ptr %a0, i64 %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 3
  %v1 = load i64, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v3 = load i64, ptr %v2, align 8
  %v4 = add i64 %v1, %v3
  %v5 = sub i64 %v4, 1
  %v6 = udiv i64 %v5, %v3
  %v7 = udiv i64 %v6, %a2
  %v8 = urem i64 %v6, %a2
  %v9 = mul i64 %v7, %a1
  %v10 = call i64 @llvm.umin.i64(i64 %a1, i64 %v8)
  %v11 = add i64 %v9, %v10
  %v12 = icmp ult i64 %a1, %v8
  %v13 = zext i1 %v12 to i64
  %v14 = add i64 %v7, %v13
  %v15 = lshr i64 %v14, %a3
  %v16 = lshr i64 %v15, 1
  %v17 = icmp eq i64 %a3, 4
  %v18 = select i1 %v17, i64 0, i64 %v16
  %v19 = add i64 %v11, %v14
  %v20 = sub i64 %v19, %v15
  %v21 = sub i64 %v19, %v18
  %v22 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 0
  %v23 = load ptr, ptr %v22, align 8
  %v24 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 3
  %v25 = load i64, ptr %v24, align 8
  %v26 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v27 = load i64, ptr %v26, align 8
  %v28 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 5
  %v29 = load i64, ptr %v28, align 8
  %v30 = mul i64 %v21, %v27
  %v31 = call i64 @llvm.umin.i64(i64 %v30, i64 %v25)
  %v32 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 2
  %v33 = mul i64 %v20, %v27
  call void @snippets_range(ptr %v23, ptr %v32, i64 %v33, i64 %v31, i64 %a4, i64 %v27, i64 %v29)
  ret void
}

define internal void @snippets_worker(ptr %a0) {
b0:
  %v0 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 1
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, ptr, ptr, ptr }, ptr %v1, i32 0, i32 1
  %v3 = load ptr, ptr %v2, align 8
  %v4 = call i32 %v3()
  %v5 = sext i32 %v4 to i64
  %v6 = getelementptr { ptr, ptr, ptr, ptr, ptr }, ptr %v1, i32 0, i32 2
  %v7 = load ptr, ptr %v6, align 8
  %v8 = call i32 %v7()
  %v9 = sext i32 %v8 to i64
  call void @snippets_part(ptr %a0, i64 %v5, i64 %v9)
  ret void
}

declare i32 @sem_post(ptr)

declare i32 @sem_wait(ptr)

declare i32 @sched_yield()

declare void @llvm.x86.sse2.pause()

define void @snippets_crew_pause(i64 %a0) {
b0:
  br label %b1
b1:
  %v0 = phi i64 [ 0, %b0 ], [ %v2, %b3 ]
  %v1 = icmp eq i64 %v0, %a0
  br i1 %v1, label %b2, label %b3
b2:
  ret void
b3:
  call void @llvm.x86.sse2.pause()
  %v2 = add i64 %v0, 1
  br label %b1
}

define internal i64 @snippets_crew_take(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5) {
b0:
  %v0 = mul i64 %a2, 65536
  br label %b1
b1:
  %v1 = phi i64 [ 0, %b0 ], [ %v16, %b5 ]
  %v2 = phi i64 [ 0, %b0 ], [ %v15, %b5 ]
  %v3 = load atomic i64, ptr %a1 acquire, align 8
  %v4 = sub i64 %v3, %v0
  %v5 = icmp sge i64 %v4, 5
  br i1 %v5, label %b2, label %b3
b2:
  ret i64 %v2
b3:
  %v6 = icmp slt i64 %v4, 0
  %v7 = select i1 %v6, i64 0, i64 %v4
  %v8 = add i64 %v0, %v7
  %v9 = add i64 %v8, 1
  %v10 = atomicrmw umax ptr %a1, i64 %v9 seq_cst, align 8
  %v11 = icmp ult i64 %v10, %v9
  br i1 %v11, label %b4, label %b5
b4:
  %v12 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 2
  %v13 = load ptr, ptr %v12, align 8
  call void @snippets_slice(ptr %v13, i64 %a3, i64 %a4, i64 %v7, i64 %a5)
  br label %b5
b5:
  %v14 = zext i1 %v11 to i64
  %v15 = add i64 %v2, %v14
  %v16 = add i64 %v1, 1
  br label %b1
}

define internal i64 @snippets_crew_help(ptr %a0, i64 %a1, i64 %a2, i64 %a3) {
b0:
  %v0 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 3
  %v1 = load i64, ptr %v0, align 8
  %v2 = add i64 %v1, 1
  %v3 = call i64 @llvm.umin.i64(i64 %v2, i64 %a2)
  %v4 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 1
  br label %b1
b1:
  %v5 = phi i64 [ 0, %b0 ], [ %v25, %b5 ]
  %v6 = phi i64 [ 0, %b0 ], [ %v24, %b5 ]
  %v7 = icmp eq i64 %v5, %v3
  br i1 %v7, label %b2, label %b3
b2:
  ret i64 %v6
b3:
  %v8 = add i64 %a3, %v5
  %v9 = sub i64 %v8, %v3
  %v10 = icmp uge i64 %v8, %v3
  %v11 = select i1 %v10, i64 %v9, i64 %v8
  %v12 = sub i64 %v11, 1
  %v13 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v4, i64 %v12
  %v14 = icmp eq i64 %v11, 0
  %v15 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 9
  %v16 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v13, i32 0, i32 2
  %v17 = select i1 %v14, ptr %v15, ptr %v16
  %v18 = call i64 @snippets_crew_take(ptr %a0, ptr %v17, i64 %a1, i64 %v11, i64 %a2, i64 %a3)
  %v19 = icmp ne i64 %a3, 0
  %v20 = icmp ne i64 %v18, 0
  %v21 = and i1 %v19, %v20
  br i1 %v21, label %b4, label %b5
b4:
  %v22 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 7
  %v23 = atomicrmw add ptr %v22, i64 %v18 seq_cst, align 8
  br label %b5
b5:
  %v24 = add i64 %v6, %v18
  %v25 = add i64 %v5, 1
  br label %b1
}

define internal void @snippets_crew_run(ptr %a0, ptr %a1, i64 %a2) {
b0:
  %v0 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 3
  %v1 = load i64, ptr %v0, align 8
  %v2 = add i64 %v1, 1
  %v3 = call i64 @llvm.umin.i64(i64 %v2, i64 %a2)
  %v4 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 2
  store ptr %a1, ptr %v4, align 8
  %v5 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 7
  store atomic i64 0, ptr %v5 monotonic, align 8
  %v6 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 1
  store atomic i64 0, ptr %v6 monotonic, align 8
  %v7 = sub i64 %v3, 1
  %v8 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 0
  %v9 = load i64, ptr %v8, align 8
  %v10 = udiv i64 %v9, 65536
  %v11 = add i64 %v10, 1
  %v12 = mul i64 %v11, 65536
  %v13 = add i64 %v12, %a2
  %v14 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 0
  %v15 = atomicrmw xchg ptr %v14, i64 %v13 seq_cst, align 8
  %v16 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 1
  br label %b1
b1:
  %v17 = phi i64 [ 0, %b0 ], [ %v45, %b15 ]
  %v18 = icmp eq i64 %v17, %v7
  br i1 %v18, label %b2, label %b11
b2:
  %v19 = call i64 @snippets_crew_help(ptr %a0, i64 %v11, i64 %a2, i64 0)
  %v20 = sub i64 %a2, %v3
  br label %b3
b3:
  %v21 = phi i64 [ 0, %b2 ], [ %v35, %b10 ]
  %v22 = icmp eq i64 %v21, %v20
  br i1 %v22, label %b4, label %b10
b4:
  %v23 = mul i64 %v3, 5
  %v24 = sub i64 %v23, %v19
  br label %b5
b5:
  %v25 = phi i64 [ 0, %b4 ], [ %v33, %b9 ]
  %v26 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 7
  %v27 = load atomic i64, ptr %v26 acquire, align 8
  %v28 = icmp eq i64 %v27, %v24
  br i1 %v28, label %b6, label %b7
b6:
  ret void
b7:
  call void @llvm.x86.sse2.pause()
  %v29 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 5
  %v30 = load i64, ptr %v29, align 8
  %v31 = icmp uge i64 %v25, %v30
  br i1 %v31, label %b8, label %b9
b8:
  %v32 = call i32 @sched_yield()
  br label %b9
b9:
  %v33 = add i64 %v25, 1
  br label %b5
b10:
  %v34 = add i64 %v3, %v21
  call void @snippets_part(ptr %a1, i64 %v34, i64 %a2)
  %v35 = add i64 %v21, 1
  br label %b3
b11:
  %v36 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v16, i64 %v17
  %v37 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v36, i32 0, i32 3
  %v38 = load atomic i64, ptr %v37 seq_cst, align 8
  %v39 = icmp ne i64 %v38, 0
  br i1 %v39, label %b12, label %b15
b12:
  %v40 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v36, i32 0, i32 3
  %v41 = atomicrmw xchg ptr %v40, i64 0 seq_cst, align 8
  %v42 = icmp ne i64 %v41, 0
  br i1 %v42, label %b13, label %b14
b13:
  %v43 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v36, i32 0, i32 4
  %v44 = call i32 @sem_post(ptr %v43)
  br label %b14
b14:
  br label %b15
b15:
  %v45 = add i64 %v17, 1
  br label %b1
}

define void @snippets_crew_end(ptr %a0) {
b0:
  %v0 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 3
  %v1 = load i64, ptr %v0, align 8
  %v2 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 0
  %v3 = load i64, ptr %v2, align 8
  %v4 = udiv i64 %v3, 65536
  %v5 = add i64 %v4, 1
  %v6 = mul i64 %v5, 65536
  %v7 = add i64 %v6, 0
  %v8 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 0
  %v9 = atomicrmw xchg ptr %v8, i64 %v7 seq_cst, align 8
  %v10 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %a0, i32 1
  br label %b1
b1:
  %v11 = phi i64 [ 0, %b0 ], [ %v22, %b7 ]
  %v12 = icmp eq i64 %v11, %v1
  br i1 %v12, label %b2, label %b3
b2:
  ret void
b3:
  %v13 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v10, i64 %v11
  %v14 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v13, i32 0, i32 3
  %v15 = load atomic i64, ptr %v14 seq_cst, align 8
  %v16 = icmp ne i64 %v15, 0
  br i1 %v16, label %b4, label %b7
b4:
  %v17 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v13, i32 0, i32 3
  %v18 = atomicrmw xchg ptr %v17, i64 0 seq_cst, align 8
  %v19 = icmp ne i64 %v18, 0
  br i1 %v19, label %b5, label %b6
b5:
  %v20 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v13, i32 0, i32 4
  %v21 = call i32 @sem_post(ptr %v20)
  br label %b6
b6:
  br label %b7
b7:
  %v22 = add i64 %v11, 1
  br label %b1
}

define ptr @snippets_crew_member(ptr %a0) {
b0:
  %v0 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 0
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 1
  %v3 = load i64, ptr %v2, align 8
  br label %b1
b1:
  %v4 = phi i64 [ 0, %b0 ], [ %v15, %b7 ]
  %v5 = phi i64 [ 0, %b0 ], [ %v8, %b7 ]
  br label %b2
b2:
  %v6 = phi i64 [ 0, %b1 ], [ %v31, %b12 ]
  %v7 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 0
  %v8 = load atomic i64, ptr %v7 acquire, align 8
  %v9 = icmp ne i64 %v8, %v5
  br i1 %v9, label %b3, label %b8
b3:
  %v10 = udiv i64 %v8, 65536
  %v11 = urem i64 %v8, 65536
  %v12 = icmp eq i64 %v11, 0
  br i1 %v12, label %b4, label %b5
b4:
  ret ptr null
b5:
  %v13 = icmp ult i64 %v3, %v11
  br i1 %v13, label %b6, label %b7
b6:
  %v14 = call i64 @snippets_crew_help(ptr %v1, i64 %v10, i64 %v11, i64 %v3)
  br label %b7
b7:
  %v15 = add i64 %v4, 1
  br label %b1
b8:
  %v16 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 1
  %v17 = load atomic i64, ptr %v16 monotonic, align 8
  %v18 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 4
  %v19 = load i64, ptr %v18, align 8
  %v20 = icmp uge i64 %v6, %v19
  %v21 = icmp ne i64 %v17, 0
  %v22 = or i1 %v20, %v21
  br i1 %v22, label %b9, label %b12
b9:
  %v23 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 3
  %v24 = atomicrmw xchg ptr %v23, i64 1 seq_cst, align 8
  %v25 = getelementptr { i64, i64, ptr, i64, i64, i64, [2 x i64], i64, [7 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 0
  %v26 = load atomic i64, ptr %v25 seq_cst, align 8
  %v27 = icmp eq i64 %v26, %v5
  br i1 %v27, label %b10, label %b11
b10:
  %v28 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 4
  %v29 = call i32 @sem_wait(ptr %v28)
  br label %b11
b11:
  %v30 = atomicrmw xchg ptr %v23, i64 0 seq_cst, align 8
  br label %b12
b12:
  call void @llvm.x86.sse2.pause()
  %v31 = add i64 %v6, 1
  br label %b2
}

define void @snippets_launch_aligned(ptr %a0, ptr %a1, ptr %a2, ptr %a3, ptr %a4, i64 %a5, i64 %a6, i32 %a7, i64 %a8) {
b0:
  %v0 = alloca { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, i64 1, align 8
  %v1 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %v0, i32 0, i32 2
  %v2 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %v0, i32 0, i32 0
  store ptr %a1, ptr %v2, align 8
  %v3 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %v0, i32 0, i32 1
  store ptr %a0, ptr %v3, align 8
  %v4 = getelementptr { ptr, ptr, ptr }, ptr %v1, i32 0, i32 0
  store ptr %a2, ptr %v4, align 8
  %v5 = getelementptr { ptr, ptr, ptr }, ptr %v1, i32 0, i32 1
  store ptr %a3, ptr %v5, align 8
  %v6 = getelementptr { ptr, ptr, ptr }, ptr %v1, i32 0, i32 2
  store ptr %a4, ptr %v6, align 8
  %v7 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %v0, i32 0, i32 3
  store i64 %a5, ptr %v7, align 8
  %v8 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %v0, i32 0, i32 4
  store i64 %a6, ptr %v8, align 8
  %v9 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %v0, i32 0, i32 5
  store i64 %a8, ptr %v9, align 8
  %v10 = getelementptr { ptr, ptr, ptr, ptr, ptr }, ptr %a0, i32 0, i32 3
  %v11 = load ptr, ptr %v10, align 8
  %v12 = atomicrmw xchg ptr %v11, i32 1 acquire, align 4
  %v13 = icmp ne i32 %v12, 0
  br i1 %v13, label %b1, label %b2
b1:
  call void @snippets_range(ptr %a1, ptr %v1, i64 0, i64 %a5, i64 0, i64 %a6, i64 %a8)
  ret void
b2:
  %v14 = getelementptr { ptr, ptr, ptr, ptr, ptr }, ptr %a0, i32 0, i32 4
  %v15 = load ptr, ptr %v14, align 8
  %v16 = ptrtoint ptr %v15 to i64
  %v17 = icmp ne i64 %v16, 0
  br i1 %v17, label %b3, label %b4
b3:
  %v18 = zext i32 %a7 to i64
  call void @snippets_crew_run(ptr %v15, ptr %v0, i64 %v18)
  br label %b5
b4:
  %v19 = getelementptr { ptr, ptr, ptr, ptr, ptr }, ptr %a0, i32 0, i32 0
  %v20 = load ptr, ptr %v19, align 8
  call void %v20(ptr @snippets_worker, ptr %v0, i32 %a7, i32 0)
  br label %b5
b5:
  store atomic i32 0, ptr %v11 release, align 4
  ret void
}

define void @snippets_launch(ptr %a0, ptr %a1, ptr %a2, ptr %a3, ptr %a4, i64 %a5, i64 %a6, i32 %a7) {
b0:
  call void @snippets_launch_aligned(ptr %a0, ptr %a1, ptr %a2, ptr %a3, ptr %a4, i64 %a5, i64 %a6, i32 %a7, i64 0)
  ret void
}
