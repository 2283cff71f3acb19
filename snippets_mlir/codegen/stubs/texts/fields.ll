define void @snippets_fields(ptr %a0, ptr %a1) {
b0:
  %v0 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 0
  %v1 = getelementptr { i64, ptr }, ptr %v0, i32 0, i32 0
  %v2 = load i64, ptr %v1, align 8
  %v3 = getelementptr { i64, ptr }, ptr %v0, i32 0, i32 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = ptrtoint ptr %v4 to i64
  %v6 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 1
  %v7 = load ptr, ptr %v6, align 8
  %v8 = ptrtoint ptr %v7 to i64
  %v9 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 2
  %v10 = load i32, ptr %v9, align 4
  %v11 = sext i32 %v10 to i64
  %v12 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 3
  %v13 = load ptr, ptr %v12, align 8
  %v14 = ptrtoint ptr %v13 to i64
  %v15 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 4
  %v16 = load ptr, ptr %v15, align 8
  %v17 = ptrtoint ptr %v16 to i64
  %v18 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 5
  %v19 = load ptr, ptr %v18, align 8
  %v20 = ptrtoint ptr %v19 to i64
  %v21 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 6
  %v22 = load ptr, ptr %v21, align 8
  %v23 = ptrtoint ptr %v22 to i64
  %v24 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 7
  %v25 = load i32, ptr %v24, align 4
  %v26 = sext i32 %v25 to i64
  %v27 = getelementptr i64, ptr %a1, i32 0
  store i64 %v2, ptr %v27, align 8
  %v28 = getelementptr i64, ptr %a1, i32 1
  store i64 %v5, ptr %v28, align 8
  %v29 = getelementptr i64, ptr %a1, i32 2
  store i64 %v8, ptr %v29, align 8
  %v30 = getelementptr i64, ptr %a1, i32 3
  store i64 %v11, ptr %v30, align 8
  %v31 = getelementptr i64, ptr %a1, i32 4
  store i64 %v14, ptr %v31, align 8
  %v32 = getelementptr i64, ptr %a1, i32 5
  store i64 %v17, ptr %v32, align 8
  %v33 = getelementptr i64, ptr %a1, i32 6
  store i64 %v20, ptr %v33, align 8
  %v34 = getelementptr i64, ptr %a1, i32 7
  store i64 %v23, ptr %v34, align 8
  %v35 = getelementptr i64, ptr %a1, i32 8
  store i64 %v26, ptr %v35, align 8
  ret void
}
