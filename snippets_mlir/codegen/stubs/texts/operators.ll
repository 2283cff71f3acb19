@snippets_operators = global [1 x i64] [i64 0], align 8

define internal void @snippets_range(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4, i64 %a5, i64 %a6) {
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

define internal ptr @snippets_op_input(ptr %a0, ptr %a1, i64 %a2, ptr %a3) {
b0:
  %v0 = alloca ptr, i64 1, align 8
  %v1 = alloca ptr, i64 1, align 8
  %v2 = alloca ptr, i64 1, align 8
  %v3 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 26
  %v4 = load ptr, ptr %v3, align 8
  %v5 = getelementptr ptr, ptr %v4, i32 90
  %v6 = load ptr, ptr %v5, align 8
  %v7 = call ptr %v6(ptr %a1, i64 %a2, ptr %v0)
  %v8 = ptrtoint ptr %v7 to i64
  %v9 = icmp ne i64 %v8, 0
  br i1 %v9, label %b1, label %b2
b1:
  ret ptr %v7
b2:
  %v10 = load ptr, ptr %v0, align 8
  %v11 = getelementptr { ptr, i64, [16 x i64] }, ptr %a3, i32 0, i32 0
  %v12 = getelementptr ptr, ptr %v4, i32 51
  %v13 = load ptr, ptr %v12, align 8
  %v14 = call ptr %v13(ptr %v10, ptr %v11)
  %v15 = ptrtoint ptr %v14 to i64
  %v16 = icmp ne i64 %v15, 0
  br i1 %v16, label %b3, label %b4
b3:
  ret ptr %v14
b4:
  %v17 = getelementptr ptr, ptr %v4, i32 65
  %v18 = load ptr, ptr %v17, align 8
  %v19 = call ptr %v18(ptr %v10, ptr %v1)
  %v20 = ptrtoint ptr %v19 to i64
  %v21 = icmp ne i64 %v20, 0
  br i1 %v21, label %b5, label %b6
b5:
  ret ptr %v19
b6:
  %v22 = load ptr, ptr %v1, align 8
  %v23 = getelementptr { ptr, i64, [16 x i64] }, ptr %a3, i32 0, i32 1
  %v24 = getelementptr ptr, ptr %v4, i32 61
  %v25 = load ptr, ptr %v24, align 8
  %v26 = call ptr %v25(ptr %v22, ptr %v23)
  store ptr %v26, ptr %v2, align 8
  %v27 = load ptr, ptr %v2, align 8
  %v28 = ptrtoint ptr %v27 to i64
  %v29 = icmp ne i64 %v28, 0
  %v30 = xor i1 %v29, true
  br i1 %v30, label %b7, label %b10
b7:
  %v31 = getelementptr { ptr, i64, [16 x i64] }, ptr %a3, i32 0, i32 1
  %v32 = load i64, ptr %v31, align 8
  %v33 = getelementptr { ptr, i64, [16 x i64] }, ptr %a3, i32 0, i32 2
  %v34 = icmp ule i64 %v32, 16
  br i1 %v34, label %b8, label %b9
b8:
  %v35 = getelementptr ptr, ptr %v4, i32 62
  %v36 = load ptr, ptr %v35, align 8
  %v37 = call ptr %v36(ptr %v22, ptr %v33, i64 %v32)
  store ptr %v37, ptr %v2, align 8
  br label %b9
b9:
  br label %b10
b10:
  %v38 = getelementptr ptr, ptr %v4, i32 99
  %v39 = load ptr, ptr %v38, align 8
  call void %v39(ptr %v22)
  %v40 = load ptr, ptr %v2, align 8
  ret ptr %v40
}

define internal i1 @snippets_op_fits(ptr %a0, i64 %a1, ptr %a2, ptr %a3) {
b0:
  %v0 = getelementptr { ptr, i64, [16 x i64] }, ptr %a2, i32 0, i32 1
  %v1 = load i64, ptr %v0, align 8
  %v2 = getelementptr { ptr, i64, [16 x i64] }, ptr %a3, i32 0, i32 1
  %v3 = load i64, ptr %v2, align 8
  %v4 = icmp ule i64 %v3, %v1
  br i1 %v4, label %b1, label %b9
b1:
  %v5 = sub i64 %v1, %v3
  %v6 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 39
  %v7 = load i64, ptr %v6, align 8
  %v8 = lshr i64 %v7, %a1
  %v9 = and i64 %v8, 1
  %v10 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 40
  %v11 = load i64, ptr %v10, align 8
  %v12 = lshr i64 %v11, %a1
  %v13 = and i64 %v12, 1
  %v14 = icmp ne i64 %v13, 0
  %v15 = select i1 %v14, i64 2, i64 %v1
  %v16 = icmp ne i64 %v9, 0
  %v17 = select i1 %v16, i64 0, i64 %v15
  %v18 = getelementptr { ptr, i64, [16 x i64] }, ptr %a2, i32 0, i32 2
  %v19 = getelementptr { ptr, i64, [16 x i64] }, ptr %a3, i32 0, i32 2
  br label %b2
b2:
  %v20 = phi i64 [ 0, %b1 ], [ %v32, %b8 ]
  %v21 = icmp eq i64 %v20, %v1
  br i1 %v21, label %b3, label %b4
b3:
  ret i1 true
b4:
  %v22 = icmp ult i64 %v20, %v5
  br i1 %v22, label %b5, label %b6
b5:
  br label %b7
b6:
  %v23 = sub i64 %v20, %v5
  %v24 = getelementptr i64, ptr %v19, i64 %v23
  %v25 = load i64, ptr %v24, align 8
  br label %b7
b7:
  %v26 = phi i64 [ 1, %b5 ], [ %v25, %b6 ]
  %v27 = icmp ult i64 %v20, %v17
  %v28 = getelementptr i64, ptr %v18, i64 %v20
  %v29 = load i64, ptr %v28, align 8
  %v30 = select i1 %v27, i64 %v29, i64 1
  %v31 = icmp eq i64 %v26, %v30
  br i1 %v31, label %b8, label %b9
b8:
  %v32 = add i64 %v20, 1
  br label %b2
b9:
  ret i1 false
}

define internal ptr @snippets_op_fail(ptr %a0, i64 %a1) {
b0:
  %v0 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 31
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr ptr, ptr %v1, i64 %a1
  %v3 = load ptr, ptr %v2, align 8
  %v4 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 26
  %v5 = load ptr, ptr %v4, align 8
  %v6 = getelementptr ptr, ptr %v5, i32 0
  %v7 = load ptr, ptr %v6, align 8
  %v8 = call ptr %v7(i32 2, ptr %v3)
  ret ptr %v8
}

define internal void @snippets_op_part(ptr %a0, i64 %a1) {
b0:
  %v0 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %a0, i32 0, i32 0
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %a0, i32 0, i32 3
  %v3 = load i64, ptr %v2, align 8
  %v4 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 28
  %v5 = load ptr, ptr %v4, align 8
  %v6 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 34
  %v7 = load i64, ptr %v6, align 8
  %v8 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 35
  %v9 = load i64, ptr %v8, align 8
  %v10 = mul i64 %a1, %v3
  %v11 = add i64 %v10, %v3
  %v12 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %a0, i32 0, i32 2
  %v13 = load i64, ptr %v12, align 8
  %v14 = call i64 @llvm.umin.i64(i64 %v11, i64 %v13)
  %v15 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %a0, i32 0, i32 1
  call void @snippets_range(ptr %v5, ptr %v15, i64 %v10, i64 %v14, i64 %a1, i64 %v7, i64 %v9)
  ret void
}

define internal ptr @snippets_op_compute(ptr %a0, ptr %a1) {
b0:
  %v0 = alloca { ptr, i64, [16 x i64] }, i64 1, align 8
  %v1 = alloca [65 x ptr], i64 1, align 8
  %v2 = alloca { ptr, i64, [16 x i64] }, i64 1, align 8
  %v3 = alloca ptr, i64 1, align 8
  %v4 = alloca [3 x i64], i64 1, align 8
  %v5 = alloca { ptr, { ptr, ptr, ptr }, i64, i64 }, i64 1, align 8
  %v6 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 26
  %v7 = load ptr, ptr %v6, align 8
  %v8 = call ptr @snippets_op_input(ptr %a0, ptr %a1, i64 0, ptr %v0)
  %v9 = ptrtoint ptr %v8 to i64
  %v10 = icmp ne i64 %v9, 0
  br i1 %v10, label %b1, label %b2
b1:
  ret ptr %v8
b2:
  %v11 = getelementptr { ptr, i64, [16 x i64] }, ptr %v0, i32 0, i32 1
  %v12 = load i64, ptr %v11, align 8
  %v13 = getelementptr { ptr, i64, [16 x i64] }, ptr %v0, i32 0, i32 2
  %v14 = icmp ugt i64 %v12, 16
  br i1 %v14, label %b3, label %b4
b3:
  %v15 = call ptr @snippets_op_fail(ptr %a0, i64 0)
  ret ptr %v15
b4:
  %v16 = sub i64 %v12, 0
  br label %b5
b5:
  %v17 = phi i64 [ 0, %b4 ], [ %v150, %b31 ]
  %v18 = phi i64 [ 1, %b4 ], [ %v149, %b31 ]
  %v19 = icmp eq i64 %v17, %v16
  br i1 %v19, label %b6, label %b31
b6:
  %v20 = getelementptr i64, ptr %v4, i32 0
  store i64 %v18, ptr %v20, align 8
  %v21 = getelementptr i64, ptr %v4, i32 1
  store i64 1, ptr %v21, align 8
  %v22 = getelementptr i64, ptr %v4, i32 2
  store i64 1, ptr %v22, align 8
  %v23 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 36
  %v24 = load i64, ptr %v23, align 8
  %v25 = icmp eq i64 %v24, 1
  br i1 %v25, label %b7, label %b15
b7:
  %v26 = icmp ult i64 %v12, 3
  br i1 %v26, label %b8, label %b9
b8:
  %v27 = call ptr @snippets_op_fail(ptr %a0, i64 1)
  ret ptr %v27
b9:
  %v28 = getelementptr i64, ptr %v13, i32 0
  %v29 = load i64, ptr %v28, align 8
  %v30 = getelementptr i64, ptr %v13, i32 1
  %v31 = load i64, ptr %v30, align 8
  %v32 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 37
  %v33 = load i64, ptr %v32, align 8
  %v34 = urem i64 %v31, %v33
  %v35 = icmp ne i64 %v34, 0
  br i1 %v35, label %b10, label %b11
b10:
  %v36 = call ptr @snippets_op_fail(ptr %a0, i64 2)
  ret ptr %v36
b11:
  %v37 = sub i64 %v12, 2
  br label %b12
b12:
  %v38 = phi i64 [ 0, %b11 ], [ %v49, %b14 ]
  %v39 = phi i64 [ 1, %b11 ], [ %v48, %b14 ]
  %v40 = icmp eq i64 %v38, %v37
  br i1 %v40, label %b13, label %b14
b13:
  %v41 = udiv i64 %v31, %v33
  %v42 = mul i64 %v29, %v41
  %v43 = getelementptr i64, ptr %v4, i32 1
  store i64 %v39, ptr %v43, align 8
  %v44 = getelementptr i64, ptr %v4, i32 2
  store i64 %v42, ptr %v44, align 8
  br label %b15
b14:
  %v45 = add i64 %v38, 2
  %v46 = getelementptr i64, ptr %v13, i64 %v45
  %v47 = load i64, ptr %v46, align 8
  %v48 = mul i64 %v39, %v47
  %v49 = add i64 %v38, 1
  br label %b12
b15:
  %v50 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 38
  %v51 = load i64, ptr %v50, align 8
  %v52 = and i64 %v51, 1
  %v53 = icmp ne i64 %v52, 0
  %v54 = getelementptr i64, ptr %v4, i32 0
  %v55 = load i64, ptr %v54, align 8
  %v56 = select i1 %v53, i64 %v55, i64 1
  %v57 = mul i64 1, %v56
  %v58 = and i64 %v51, 2
  %v59 = icmp ne i64 %v58, 0
  %v60 = getelementptr i64, ptr %v4, i32 1
  %v61 = load i64, ptr %v60, align 8
  %v62 = select i1 %v59, i64 %v61, i64 1
  %v63 = mul i64 %v57, %v62
  %v64 = and i64 %v51, 4
  %v65 = icmp ne i64 %v64, 0
  %v66 = getelementptr i64, ptr %v4, i32 2
  %v67 = load i64, ptr %v66, align 8
  %v68 = select i1 %v65, i64 %v67, i64 1
  %v69 = mul i64 %v63, %v68
  %v70 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 30
  %v71 = load ptr, ptr %v70, align 8
  %v72 = getelementptr i64, ptr %v71, i32 0
  %v73 = load i64, ptr %v72, align 8
  %v74 = getelementptr { ptr, i64, [16 x i64] }, ptr %v0, i32 0, i32 0
  %v75 = load ptr, ptr %v74, align 8
  %v76 = getelementptr ptr, ptr %v1, i64 %v73
  store ptr %v75, ptr %v76, align 8
  %v77 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 32
  %v78 = load i64, ptr %v77, align 8
  %v79 = sub i64 %v78, 1
  br label %b16
b16:
  %v80 = phi i64 [ 0, %b15 ], [ %v145, %b30 ]
  %v81 = icmp eq i64 %v80, %v79
  br i1 %v81, label %b17, label %b26
b17:
  %v82 = getelementptr { ptr, i64, [16 x i64] }, ptr %v0, i32 0, i32 2
  %v83 = getelementptr { ptr, i64, [16 x i64] }, ptr %v0, i32 0, i32 1
  %v84 = load i64, ptr %v83, align 8
  %v85 = getelementptr ptr, ptr %v7, i32 91
  %v86 = load ptr, ptr %v85, align 8
  %v87 = call ptr %v86(ptr %a1, i64 0, ptr %v82, i64 %v84, ptr %v3)
  %v88 = ptrtoint ptr %v87 to i64
  %v89 = icmp ne i64 %v88, 0
  br i1 %v89, label %b18, label %b19
b18:
  ret ptr %v87
b19:
  %v90 = getelementptr ptr, ptr %v1, i64 %v78
  %v91 = load ptr, ptr %v3, align 8
  %v92 = getelementptr ptr, ptr %v7, i32 51
  %v93 = load ptr, ptr %v92, align 8
  %v94 = call ptr %v93(ptr %v91, ptr %v90)
  %v95 = ptrtoint ptr %v94 to i64
  %v96 = icmp ne i64 %v95, 0
  br i1 %v96, label %b20, label %b21
b20:
  ret ptr %v94
b21:
  %v97 = icmp eq i64 %v18, 0
  br i1 %v97, label %b22, label %b23
b22:
  ret ptr null
b23:
  %v98 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %v5, i32 0, i32 1
  %v99 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %v5, i32 0, i32 0
  store ptr %a0, ptr %v99, align 8
  %v100 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %v5, i32 0, i32 2
  store i64 %v69, ptr %v100, align 8
  %v101 = getelementptr { ptr, ptr, ptr }, ptr %v98, i32 0, i32 0
  store ptr %v1, ptr %v101, align 8
  %v102 = getelementptr { ptr, ptr, ptr }, ptr %v98, i32 0, i32 1
  store ptr %v4, ptr %v102, align 8
  %v103 = getelementptr { ptr, ptr, ptr }, ptr %v98, i32 0, i32 2
  store ptr null, ptr %v103, align 8
  %v104 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 34
  %v105 = load i64, ptr %v104, align 8
  %v106 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %v5, i32 0, i32 2
  %v107 = load i64, ptr %v106, align 8
  %v108 = add i64 %v107, %v105
  %v109 = sub i64 %v108, 1
  %v110 = udiv i64 %v109, %v105
  %v111 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 41
  %v112 = load i64, ptr %v111, align 8
  %v113 = add i64 %v18, 16384
  %v114 = sub i64 %v113, 1
  %v115 = udiv i64 %v114, 16384
  %v116 = call i64 @llvm.umin.i64(i64 %v112, i64 %v115)
  %v117 = call i64 @llvm.umin.i64(i64 %v116, i64 %v110)
  %v118 = add i64 %v110, %v117
  %v119 = sub i64 %v118, 1
  %v120 = udiv i64 %v119, %v117
  %v121 = mul i64 %v120, %v105
  %v122 = getelementptr { ptr, { ptr, ptr, ptr }, i64, i64 }, ptr %v5, i32 0, i32 3
  store i64 %v121, ptr %v122, align 8
  %v123 = icmp eq i64 %v117, 1
  br i1 %v123, label %b24, label %b25
b24:
  call void @snippets_op_part(ptr %v5, i64 0)
  ret ptr null
b25:
  %v124 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 26
  %v125 = load ptr, ptr %v124, align 8
  %v126 = add i64 %v107, %v121
  %v127 = sub i64 %v126, 1
  %v128 = udiv i64 %v127, %v121
  %v129 = getelementptr ptr, ptr %v125, i32 274
  %v130 = load ptr, ptr %v129, align 8
  %v131 = call ptr %v130(ptr %a1, ptr @snippets_op_part, i64 %v128, i64 0, ptr %v5)
  ret ptr %v131
b26:
  %v132 = add i64 %v80, 1
  %v133 = call ptr @snippets_op_input(ptr %a0, ptr %a1, i64 %v132, ptr %v2)
  %v134 = ptrtoint ptr %v133 to i64
  %v135 = icmp ne i64 %v134, 0
  br i1 %v135, label %b27, label %b28
b27:
  ret ptr %v133
b28:
  %v136 = call i1 @snippets_op_fits(ptr %a0, i64 %v132, ptr %v0, ptr %v2)
  %v137 = xor i1 %v136, true
  %v138 = add i64 %v132, 3
  br i1 %v137, label %b29, label %b30
b29:
  %v139 = call ptr @snippets_op_fail(ptr %a0, i64 %v138)
  ret ptr %v139
b30:
  %v140 = getelementptr i64, ptr %v71, i64 %v132
  %v141 = load i64, ptr %v140, align 8
  %v142 = getelementptr { ptr, i64, [16 x i64] }, ptr %v2, i32 0, i32 0
  %v143 = load ptr, ptr %v142, align 8
  %v144 = getelementptr ptr, ptr %v1, i64 %v141
  store ptr %v143, ptr %v144, align 8
  %v145 = add i64 %v80, 1
  br label %b16
b31:
  %v146 = add i64 %v17, 0
  %v147 = getelementptr i64, ptr %v13, i64 %v146
  %v148 = load i64, ptr %v147, align 8
  %v149 = mul i64 %v18, %v148
  %v150 = add i64 %v17, 1
  br label %b5
}

define internal ptr @snippets_op_infer(ptr %a0, ptr %a1) {
b0:
  %v0 = alloca ptr, i64 1, align 8
  %v1 = alloca i64, i64 1, align 8
  %v2 = alloca [16 x i64], i64 1, align 8
  %v3 = alloca [16 x ptr], i64 1, align 8
  %v4 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 26
  %v5 = load ptr, ptr %v4, align 8
  %v6 = getelementptr ptr, ptr %v5, i32 268
  %v7 = load ptr, ptr %v6, align 8
  %v8 = call ptr %v7(ptr %a1, i64 0, ptr %v0)
  %v9 = ptrtoint ptr %v8 to i64
  %v10 = icmp ne i64 %v9, 0
  br i1 %v10, label %b1, label %b2
b1:
  ret ptr %v8
b2:
  %v11 = load ptr, ptr %v0, align 8
  %v12 = getelementptr ptr, ptr %v5, i32 61
  %v13 = load ptr, ptr %v12, align 8
  %v14 = call ptr %v13(ptr %v11, ptr %v1)
  %v15 = ptrtoint ptr %v14 to i64
  %v16 = icmp ne i64 %v15, 0
  br i1 %v16, label %b3, label %b4
b3:
  ret ptr %v14
b4:
  %v17 = load i64, ptr %v1, align 8
  %v18 = sub i64 %v17, 1
  %v19 = icmp uge i64 %v18, 16
  br i1 %v19, label %b5, label %b6
b5:
  ret ptr null
b6:
  %v20 = getelementptr ptr, ptr %v5, i32 62
  %v21 = load ptr, ptr %v20, align 8
  %v22 = call ptr %v21(ptr %v11, ptr %v2, i64 %v17)
  %v23 = ptrtoint ptr %v22 to i64
  %v24 = icmp ne i64 %v23, 0
  br i1 %v24, label %b7, label %b8
b7:
  ret ptr %v22
b8:
  %v25 = getelementptr ptr, ptr %v5, i32 63
  %v26 = load ptr, ptr %v25, align 8
  %v27 = call ptr %v26(ptr %v11, ptr %v3, i64 %v17)
  %v28 = ptrtoint ptr %v27 to i64
  %v29 = icmp ne i64 %v28, 0
  br i1 %v29, label %b9, label %b10
b9:
  ret ptr %v27
b10:
  br label %b11
b11:
  %v30 = phi i64 [ 0, %b10 ], [ %v43, %b15 ]
  %v31 = icmp eq i64 %v30, %v17
  br i1 %v31, label %b12, label %b13
b12:
  %v32 = getelementptr ptr, ptr %v5, i32 270
  %v33 = load ptr, ptr %v32, align 8
  %v34 = call ptr %v33(ptr %a1, i64 0, ptr %v11)
  ret ptr %v34
b13:
  %v35 = getelementptr ptr, ptr %v3, i64 %v30
  %v36 = load ptr, ptr %v35, align 8
  %v37 = load i8, ptr %v36, align 1
  %v38 = getelementptr i64, ptr %v2, i64 %v30
  %v39 = load i64, ptr %v38, align 8
  %v40 = icmp slt i64 %v39, 0
  %v41 = icmp eq i8 %v37, 0
  %v42 = and i1 %v40, %v41
  br i1 %v42, label %b14, label %b15
b14:
  ret ptr null
b15:
  %v43 = add i64 %v30, 1
  br label %b11
}

define internal ptr @snippets_op_create(ptr %a0, ptr %a1, ptr %a2, ptr %a3) {
b0:
  store ptr %a0, ptr %a3, align 8
  ret ptr null
}

define internal void @snippets_op_destroy(ptr %a0) {
b0:
  ret void
}

define internal ptr @snippets_op_name(ptr %a0) {
b0:
  %v0 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 27
  %v1 = load ptr, ptr %v0, align 8
  ret ptr %v1
}

define internal ptr @snippets_op_provider(ptr %a0) {
b0:
  ret ptr null
}

define internal i32 @snippets_op_input_type(ptr %a0, i64 %a1) {
b0:
  %v0 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 29
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr i32, ptr %v1, i64 %a1
  %v3 = load i32, ptr %v2, align 4
  ret i32 %v3
}

define internal i64 @snippets_op_inputs(ptr %a0) {
b0:
  %v0 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 32
  %v1 = load i64, ptr %v0, align 8
  ret i64 %v1
}

define internal i32 @snippets_op_result(ptr %a0, i64 %a1) {
b0:
  %v0 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 33
  %v1 = load i64, ptr %v0, align 8
  %v2 = trunc i64 %v1 to i32
  ret i32 %v2
}

define internal i64 @snippets_op_outputs(ptr %a0) {
b0:
  ret i64 1
}

define internal i32 @snippets_op_plain(ptr %a0, i64 %a1) {
b0:
  ret i32 0
}

define ptr @snippets_register(ptr %a0, ptr %a1) {
b0:
  %v0 = alloca ptr, i64 1, align 8
  %v1 = load ptr, ptr @snippets_operators, align 8
  %v2 = ptrtoint ptr %v1 to i64
  %v3 = icmp eq i64 %v2, 0
  br i1 %v3, label %b1, label %b2
b1:
  ret ptr null
b2:
  %v4 = getelementptr { ptr, ptr }, ptr %a1, i32 0, i32 0
  %v5 = load ptr, ptr %v4, align 8
  %v6 = call ptr %v5(i32 17)
  %v7 = ptrtoint ptr %v6 to i64
  %v8 = icmp eq i64 %v7, 0
  br i1 %v8, label %b3, label %b4
b3:
  ret ptr null
b4:
  %v9 = getelementptr { ptr, i64, ptr }, ptr %v1, i32 0, i32 0
  %v10 = load ptr, ptr %v9, align 8
  %v11 = getelementptr ptr, ptr %v6, i32 26
  %v12 = load ptr, ptr %v11, align 8
  %v13 = call ptr %v12(ptr %v10, ptr %v0)
  %v14 = ptrtoint ptr %v13 to i64
  %v15 = icmp ne i64 %v14, 0
  br i1 %v15, label %b5, label %b6
b5:
  ret ptr %v13
b6:
  %v16 = load ptr, ptr %v0, align 8
  %v17 = getelementptr { ptr, i64, ptr }, ptr %v1, i32 0, i32 2
  %v18 = load ptr, ptr %v17, align 8
  %v19 = getelementptr { ptr, i64, ptr }, ptr %v1, i32 0, i32 1
  %v20 = load i64, ptr %v19, align 8
  br label %b7
b7:
  %v21 = phi i64 [ 0, %b6 ], [ %v47, %b11 ]
  %v22 = icmp eq i64 %v21, %v20
  br i1 %v22, label %b8, label %b9
b8:
  %v23 = getelementptr ptr, ptr %v6, i32 28
  %v24 = load ptr, ptr %v23, align 8
  %v25 = call ptr %v24(ptr %a0, ptr %v16)
  ret ptr %v25
b9:
  %v26 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v18, i64 %v21
  %v27 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 26
  store ptr %v6, ptr %v27, align 8
  %v28 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 0
  store i32 17, ptr %v28, align 4
  %v29 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 17
  store ptr @snippets_op_create, ptr %v29, align 8
  %v30 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 9
  store ptr @snippets_op_destroy, ptr %v30, align 8
  %v31 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 18
  store ptr @snippets_op_compute, ptr %v31, align 8
  %v32 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 19
  store ptr @snippets_op_infer, ptr %v32, align 8
  %v33 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 2
  store ptr @snippets_op_name, ptr %v33, align 8
  %v34 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 3
  store ptr @snippets_op_provider, ptr %v34, align 8
  %v35 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 4
  store ptr @snippets_op_input_type, ptr %v35, align 8
  %v36 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 5
  store ptr @snippets_op_inputs, ptr %v36, align 8
  %v37 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 6
  store ptr @snippets_op_result, ptr %v37, align 8
  %v38 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 7
  store ptr @snippets_op_outputs, ptr %v38, align 8
  %v39 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 10
  store ptr @snippets_op_plain, ptr %v39, align 8
  %v40 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 11
  store ptr @snippets_op_plain, ptr %v40, align 8
  %v41 = getelementptr { i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v26, i32 0, i32 12
  store ptr @snippets_op_plain, ptr %v41, align 8
  %v42 = getelementptr ptr, ptr %v6, i32 27
  %v43 = load ptr, ptr %v42, align 8
  %v44 = call ptr %v43(ptr %v16, ptr %v26)
  %v45 = ptrtoint ptr %v44 to i64
  %v46 = icmp ne i64 %v45, 0
  br i1 %v46, label %b10, label %b11
b10:
  ret ptr %v44
b11:
  %v47 = add i64 %v21, 1
  br label %b7
}
