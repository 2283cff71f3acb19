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
  %v0 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 0
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 3
  %v3 = load i64, ptr %v2, align 8
  %v4 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v5 = load i64, ptr %v4, align 8
  %v6 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 5
  %v7 = load i64, ptr %v6, align 8
  %v8 = add i64 %v3, %v5
  %v9 = sub i64 %v8, 1
  %v10 = udiv i64 %v9, %v5
  %v11 = udiv i64 %v10, %a2
  %v12 = urem i64 %v10, %a2
  %v13 = mul i64 %v11, %a1
  %v14 = call i64 @llvm.umin.i64(i64 %a1, i64 %v12)
  %v15 = add i64 %v13, %v14
  %v16 = mul i64 %v15, %v5
  %v17 = icmp ult i64 %a1, %v12
  %v18 = zext i1 %v17 to i64
  %v19 = add i64 %v11, %v18
  %v20 = mul i64 %v19, %v5
  %v21 = add i64 %v16, %v20
  %v22 = call i64 @llvm.umin.i64(i64 %v21, i64 %v3)
  %v23 = getelementptr { ptr, ptr, { ptr, ptr, ptr }, i64, i64, i64 }, ptr %a0, i32 0, i32 2
  call void @snippets_range(ptr %v1, ptr %v23, i64 %v16, i64 %v22, i64 %a1, i64 %v5, i64 %v7)
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

define internal void @snippets_crew_run(ptr %a0, ptr %a1, i64 %a2) {
b0:
  %v0 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 0
  %v1 = load i64, ptr %v0, align 8
  %v2 = udiv i64 %v1, 65536
  %v3 = add i64 %v2, 1
  %v4 = sub i64 %a2, 1
  %v5 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 3
  %v6 = load i64, ptr %v5, align 8
  %v7 = call i64 @llvm.umin.i64(i64 %v6, i64 %v4)
  %v8 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 1
  %v9 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 2
  store ptr %a1, ptr %v9, align 8
  %v10 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 5
  store atomic i64 0, ptr %v10 monotonic, align 8
  %v11 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 1
  store atomic i64 0, ptr %v11 monotonic, align 8
  %v12 = mul i64 %v3, 65536
  %v13 = add i64 %v12, %a2
  %v14 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 0
  %v15 = atomicrmw xchg ptr %v14, i64 %v13 seq_cst, align 8
  br label %b1
b1:
  %v16 = phi i64 [ 0, %b0 ], [ %v47, %b20 ]
  %v17 = icmp eq i64 %v16, %v7
  br i1 %v17, label %b2, label %b16
b2:
  call void @snippets_part(ptr %a1, i64 0, i64 %a2)
  br label %b3
b3:
  %v18 = phi i64 [ 0, %b2 ], [ %v37, %b15 ]
  %v19 = phi i64 [ 0, %b2 ], [ %v36, %b15 ]
  %v20 = icmp eq i64 %v18, %v4
  br i1 %v20, label %b4, label %b10
b4:
  br label %b5
b5:
  %v21 = phi i64 [ 0, %b4 ], [ %v27, %b9 ]
  %v22 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %a0, i32 0, i32 5
  %v23 = load atomic i64, ptr %v22 acquire, align 8
  %v24 = icmp eq i64 %v23, %v19
  br i1 %v24, label %b6, label %b7
b6:
  ret void
b7:
  call void @llvm.x86.sse2.pause()
  %v25 = icmp uge i64 %v21, 1024
  br i1 %v25, label %b8, label %b9
b8:
  %v26 = call i32 @sched_yield()
  br label %b9
b9:
  %v27 = add i64 %v21, 1
  br label %b5
b10:
  %v28 = icmp uge i64 %v18, %v7
  br i1 %v28, label %b11, label %b12
b11:
  br label %b13
b12:
  %v29 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v8, i64 %v18
  %v30 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v29, i32 0, i32 2
  %v31 = atomicrmw umax ptr %v30, i64 %v3 seq_cst, align 8
  %v32 = icmp ult i64 %v31, %v3
  br label %b13
b13:
  %v33 = phi i1 [ true, %b11 ], [ %v32, %b12 ]
  br i1 %v33, label %b14, label %b15
b14:
  %v34 = add i64 %v18, 1
  call void @snippets_part(ptr %a1, i64 %v34, i64 %a2)
  br label %b15
b15:
  %v35 = select i1 %v33, i64 0, i64 1
  %v36 = add i64 %v19, %v35
  %v37 = add i64 %v18, 1
  br label %b3
b16:
  %v38 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v8, i64 %v16
  %v39 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v38, i32 0, i32 3
  %v40 = load atomic i64, ptr %v39 seq_cst, align 8
  %v41 = icmp ne i64 %v40, 0
  br i1 %v41, label %b17, label %b20
b17:
  %v42 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v38, i32 0, i32 3
  %v43 = atomicrmw xchg ptr %v42, i64 0 seq_cst, align 8
  %v44 = icmp ne i64 %v43, 0
  br i1 %v44, label %b18, label %b19
b18:
  %v45 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %v38, i32 0, i32 4
  %v46 = call i32 @sem_post(ptr %v45)
  br label %b19
b19:
  br label %b20
b20:
  %v47 = add i64 %v16, 1
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
  %v4 = phi i64 [ 0, %b0 ], [ %v20, %b7 ]
  %v5 = phi i64 [ 0, %b0 ], [ %v8, %b7 ]
  br label %b2
b2:
  %v6 = phi i64 [ 0, %b1 ], [ %v34, %b12 ]
  %v7 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 0
  %v8 = load atomic i64, ptr %v7 acquire, align 8
  %v9 = icmp ne i64 %v8, %v5
  br i1 %v9, label %b3, label %b8
b3:
  %v10 = udiv i64 %v8, 65536
  %v11 = urem i64 %v8, 65536
  %v12 = icmp ult i64 %v3, %v11
  br i1 %v12, label %b4, label %b7
b4:
  %v13 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 2
  %v14 = atomicrmw umax ptr %v13, i64 %v10 seq_cst, align 8
  %v15 = icmp ult i64 %v14, %v10
  br i1 %v15, label %b5, label %b6
b5:
  %v16 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 2
  %v17 = load ptr, ptr %v16, align 8
  call void @snippets_part(ptr %v17, i64 %v3, i64 %v11)
  %v18 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 5
  %v19 = atomicrmw add ptr %v18, i64 1 seq_cst, align 8
  br label %b6
b6:
  br label %b7
b7:
  %v20 = add i64 %v4, 1
  br label %b1
b8:
  %v21 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 1
  %v22 = load atomic i64, ptr %v21 monotonic, align 8
  %v23 = icmp uge i64 %v6, 8192
  %v24 = icmp ne i64 %v22, 0
  %v25 = or i1 %v23, %v24
  br i1 %v25, label %b9, label %b12
b9:
  %v26 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 3
  %v27 = atomicrmw xchg ptr %v26, i64 1 seq_cst, align 8
  %v28 = getelementptr { i64, i64, ptr, i64, [4 x i64], i64, [7 x i64] }, ptr %v1, i32 0, i32 0
  %v29 = load atomic i64, ptr %v28 seq_cst, align 8
  %v30 = icmp eq i64 %v29, %v5
  br i1 %v30, label %b10, label %b11
b10:
  %v31 = getelementptr { ptr, i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 4
  %v32 = call i32 @sem_wait(ptr %v31)
  br label %b11
b11:
  %v33 = atomicrmw xchg ptr %v26, i64 0 seq_cst, align 8
  br label %b12
b12:
  call void @llvm.x86.sse2.pause()
  %v34 = add i64 %v6, 1
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
