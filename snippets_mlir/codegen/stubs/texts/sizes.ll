define i64 @snippets_sizes(ptr %a0, ptr %a1, i64 %a2) {
b0:
  br label %b1
b1:
  %v0 = phi i64 [ 0, %b0 ], [ %v57, %b29 ]
  %v1 = icmp eq i64 %v0, %a2
  br i1 %v1, label %b2, label %b3
b2:
  ret i64 1
b3:
  %v2 = getelementptr { i64, i64, i64, i64 }, ptr %a1, i64 %v0
  %v3 = getelementptr { i64, i64, i64, i64 }, ptr %v2, i32 0, i32 0
  %v4 = load i64, ptr %v3, align 8
  %v5 = getelementptr { i64, i64, i64, i64 }, ptr %v2, i32 0, i32 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr i64, ptr %a0, i64 %v6
  %v8 = load i64, ptr %v7, align 8
  %v9 = getelementptr { i64, i64, i64, i64 }, ptr %v2, i32 0, i32 3
  %v10 = load i64, ptr %v9, align 8
  %v11 = getelementptr i64, ptr %a0, i64 %v10
  %v12 = load i64, ptr %v11, align 8
  %v13 = icmp eq i64 %v4, 0
  br i1 %v13, label %b4, label %b5
b4:
  %v14 = add i64 %v8, %v12
  br label %b27
b5:
  %v15 = icmp eq i64 %v4, 1
  br i1 %v15, label %b6, label %b11
b6:
  %v16 = icmp slt i64 %v8, 0
  %v17 = sub i64 0, %v8
  %v18 = select i1 %v16, i64 %v17, i64 %v8
  %v19 = icmp slt i64 %v12, 0
  %v20 = sub i64 0, %v12
  %v21 = select i1 %v19, i64 %v20, i64 %v12
  %v22 = or i64 %v18, %v21
  %v23 = lshr i64 %v22, 31
  %v24 = icmp ne i64 %v23, 0
  %v25 = icmp ne i64 %v8, 0
  %v26 = and i1 %v24, %v25
  br i1 %v26, label %b7, label %b10
b7:
  %v27 = udiv i64 4611686018427387903, %v18
  %v28 = icmp ugt i64 %v21, %v27
  br i1 %v28, label %b8, label %b9
b8:
  ret i64 0
b9:
  br label %b10
b10:
  %v29 = mul i64 %v8, %v12
  br label %b26
b11:
  %v30 = icmp eq i64 %v4, 2
  br i1 %v30, label %b12, label %b13
b12:
  %v31 = add i64 %v8, %v12
  %v32 = sub i64 %v31, 1
  %v33 = udiv i64 %v32, %v12
  br label %b25
b13:
  %v34 = icmp eq i64 %v4, 3
  br i1 %v34, label %b14, label %b15
b14:
  %v35 = icmp slt i64 %v8, %v12
  %v36 = select i1 %v35, i64 %v8, i64 %v12
  br label %b24
b15:
  %v37 = icmp eq i64 %v4, 4
  br i1 %v37, label %b16, label %b17
b16:
  %v38 = icmp slt i64 %v8, %v12
  %v39 = select i1 %v38, i64 %v12, i64 %v8
  br label %b23
b17:
  %v40 = icmp eq i64 %v4, 5
  br i1 %v40, label %b18, label %b19
b18:
  %v41 = icmp sge i64 %v8, %v12
  %v42 = zext i1 %v41 to i64
  br label %b22
b19:
  %v43 = icmp slt i64 %v8, %v12
  br i1 %v43, label %b20, label %b21
b20:
  ret i64 0
b21:
  br label %b22
b22:
  %v44 = phi i64 [ %v42, %b18 ], [ 1, %b21 ]
  br label %b23
b23:
  %v45 = phi i64 [ %v39, %b16 ], [ %v44, %b22 ]
  br label %b24
b24:
  %v46 = phi i64 [ %v36, %b14 ], [ %v45, %b23 ]
  br label %b25
b25:
  %v47 = phi i64 [ %v33, %b12 ], [ %v46, %b24 ]
  br label %b26
b26:
  %v48 = phi i64 [ %v29, %b10 ], [ %v47, %b25 ]
  br label %b27
b27:
  %v49 = phi i64 [ %v14, %b4 ], [ %v48, %b26 ]
  %v50 = icmp slt i64 %v49, 0
  %v51 = sub i64 0, %v49
  %v52 = select i1 %v50, i64 %v51, i64 %v49
  %v53 = icmp ugt i64 %v52, 4611686018427387903
  br i1 %v53, label %b28, label %b29
b28:
  ret i64 0
b29:
  %v54 = getelementptr { i64, i64, i64, i64 }, ptr %v2, i32 0, i32 1
  %v55 = load i64, ptr %v54, align 8
  %v56 = getelementptr i64, ptr %a0, i64 %v55
  store i64 %v49, ptr %v56, align 8
  %v57 = add i64 %v0, 1
  br label %b1
}
