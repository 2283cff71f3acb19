declare i64 @PyLong_AsLongLong(ptr)

declare ptr @PyErr_Occurred()

declare i32 @PyErr_BadArgument()

declare void @Py_IncRef(ptr)

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr)

declare ptr @PyObject_CallNoArgs(ptr)

declare void @Py_DecRef(ptr)

declare i32 @clock_gettime(i32, ptr)

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

define ptr @snippets_call_addresses(ptr %a0, ptr %a1, i64 %a2) {
b0:
  %v0 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 1
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  %v3 = load i64, ptr %v2, align 8
  %v4 = icmp eq i64 %v3, 0
  br i1 %v4, label %b1, label %b43
b1:
  %v5 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 10
  %v6 = load i64, ptr %v5, align 8
  %v7 = icmp eq i64 %a2, %v6
  br i1 %v7, label %b2, label %b42
b2:
  %v8 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 1
  br label %b3
b3:
  %v9 = phi i64 [ 0, %b2 ], [ %v123, %b40 ]
  %v10 = icmp eq i64 %v9, %a2
  br i1 %v10, label %b4, label %b34
b4:
  %v11 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  store i64 1, ptr %v11, align 8
  %v12 = alloca ptr, i64 1, align 8
  %v13 = alloca i64, i64 1, align 8
  %v14 = alloca { i64, i64 }, i64 1, align 8
  store i64 0, ptr %v13, align 8
  %v15 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 6
  %v16 = load ptr, ptr %v15, align 8
  %v17 = load i32, ptr %v16, align 4
  %v18 = icmp eq i32 %v17, 0
  %v19 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 8
  %v20 = load i64, ptr %v19, align 8
  %v21 = icmp ne i64 %v20, 0
  %v22 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 7
  %v23 = load ptr, ptr %v22, align 8
  %v24 = ptrtoint ptr %v23 to i64
  %v25 = icmp ne i64 %v24, 0
  %v26 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 13
  %v27 = load i64, ptr %v26, align 8
  %v28 = getelementptr i64, ptr %v1, i64 %v27
  br i1 %v21, label %b5, label %b6
b5:
  %v29 = call ptr @PyEval_SaveThread()
  store ptr %v29, ptr %v12, align 8
  br label %b6
b6:
  %v30 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 11
  %v31 = load i64, ptr %v30, align 8
  br label %b7
b7:
  %v32 = phi i64 [ 0, %b6 ], [ %v106, %b33 ]
  %v33 = icmp eq i64 %v32, %v31
  br i1 %v33, label %b26, label %b8
b8:
  %v34 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v28, i64 %v32
  %v35 = add i64 %v32, %v32
  %v36 = getelementptr i64, ptr %v23, i64 %v35
  br i1 %v25, label %b9, label %b10
b9:
  %v37 = call i32 @clock_gettime(i32 1, ptr %v14)
  %v38 = getelementptr { i64, i64 }, ptr %v14, i32 0, i32 0
  %v39 = load i64, ptr %v38, align 8
  %v40 = getelementptr { i64, i64 }, ptr %v14, i32 0, i32 1
  %v41 = load i64, ptr %v40, align 8
  %v42 = mul i64 %v39, 1000000000
  %v43 = add i64 %v42, %v41
  %v44 = getelementptr i64, ptr %v36, i32 0
  store i64 %v43, ptr %v44, align 8
  br label %b10
b10:
  %v45 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 3
  %v46 = load i64, ptr %v45, align 8
  %v47 = icmp eq i64 %v46, 0
  br i1 %v47, label %b11, label %b18
b11:
  br i1 %v21, label %b12, label %b13
b12:
  %v48 = load ptr, ptr %v12, align 8
  call void @PyEval_RestoreThread(ptr %v48)
  br label %b13
b13:
  %v49 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 0
  %v50 = load ptr, ptr %v49, align 8
  %v51 = call ptr @PyObject_CallNoArgs(ptr %v50)
  %v52 = ptrtoint ptr %v51 to i64
  %v53 = icmp eq i64 %v52, 0
  %v54 = zext i1 %v53 to i64
  store i64 %v54, ptr %v13, align 8
  %v55 = xor i1 %v53, true
  br i1 %v55, label %b14, label %b15
b14:
  call void @Py_DecRef(ptr %v51)
  br label %b15
b15:
  br i1 %v21, label %b16, label %b17
b16:
  %v56 = call ptr @PyEval_SaveThread()
  store ptr %v56, ptr %v12, align 8
  br label %b17
b17:
  br label %b25
b18:
  %v57 = icmp ugt i64 %v46, 1
  %v58 = and i1 %v57, %v18
  br i1 %v58, label %b19, label %b20
b19:
  %v59 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 0
  %v60 = load ptr, ptr %v59, align 8
  %v61 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 5
  %v62 = load ptr, ptr %v61, align 8
  %v63 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 6
  %v64 = load ptr, ptr %v63, align 8
  %v65 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 7
  %v66 = load ptr, ptr %v65, align 8
  %v67 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 1
  %v68 = load i64, ptr %v67, align 8
  %v69 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 2
  %v70 = load i64, ptr %v69, align 8
  %v71 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 3
  %v72 = load i64, ptr %v71, align 8
  %v73 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 4
  %v74 = load i64, ptr %v73, align 8
  %v75 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 5
  %v76 = load ptr, ptr %v75, align 8
  %v77 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 4
  %v78 = load ptr, ptr %v77, align 8
  %v79 = trunc i64 %v72 to i32
  call void %v76(ptr %v78, ptr %v60, ptr %v62, ptr %v64, ptr %v66, i64 %v68, i64 %v70, i32 %v79, i64 %v74)
  br label %b24
b20:
  %v80 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 0
  %v81 = load ptr, ptr %v80, align 8
  %v82 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 1
  %v83 = load i64, ptr %v82, align 8
  %v84 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 2
  %v85 = load i64, ptr %v84, align 8
  %v86 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 4
  %v87 = load i64, ptr %v86, align 8
  %v88 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v34, i32 0, i32 5
  %v89 = icmp eq i64 %v87, 0
  br i1 %v89, label %b21, label %b22
b21:
  call void %v81(ptr %v88, i64 0, i64 %v83, i64 0)
  br label %b23
b22:
  call void @snippets_range(ptr %v81, ptr %v88, i64 0, i64 %v83, i64 0, i64 %v85, i64 %v87)
  br label %b23
b23:
  br label %b24
b24:
  br label %b25
b25:
  %v90 = load i64, ptr %v13, align 8
  %v91 = icmp ne i64 %v90, 0
  br i1 %v91, label %b26, label %b31
b26:
  br i1 %v21, label %b27, label %b28
b27:
  %v92 = load ptr, ptr %v12, align 8
  call void @PyEval_RestoreThread(ptr %v92)
  br label %b28
b28:
  %v93 = load i64, ptr %v13, align 8
  %v94 = icmp ne i64 %v93, 0
  %v95 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  store i64 0, ptr %v95, align 8
  br i1 %v94, label %b29, label %b30
b29:
  ret ptr null
b30:
  %v96 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 2
  %v97 = load ptr, ptr %v96, align 8
  call void @Py_IncRef(ptr %v97)
  ret ptr %v97
b31:
  br i1 %v25, label %b32, label %b33
b32:
  %v98 = call i32 @clock_gettime(i32 1, ptr %v14)
  %v99 = getelementptr { i64, i64 }, ptr %v14, i32 0, i32 0
  %v100 = load i64, ptr %v99, align 8
  %v101 = getelementptr { i64, i64 }, ptr %v14, i32 0, i32 1
  %v102 = load i64, ptr %v101, align 8
  %v103 = mul i64 %v100, 1000000000
  %v104 = add i64 %v103, %v102
  %v105 = getelementptr i64, ptr %v36, i32 1
  store i64 %v104, ptr %v105, align 8
  br label %b33
b33:
  %v106 = add i64 %v32, 1
  br label %b7
b34:
  %v107 = getelementptr ptr, ptr %a1, i64 %v9
  %v108 = load ptr, ptr %v107, align 8
  %v109 = call i64 @PyLong_AsLongLong(ptr %v108)
  %v110 = icmp eq i64 %v109, -1
  br i1 %v110, label %b35, label %b38
b35:
  %v111 = call ptr @PyErr_Occurred()
  %v112 = ptrtoint ptr %v111 to i64
  %v113 = icmp ne i64 %v112, 0
  br i1 %v113, label %b36, label %b37
b36:
  ret ptr null
b37:
  br label %b38
b38:
  %v114 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v8, i64 %v9
  %v115 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v114, i32 0, i32 7
  store i64 %v109, ptr %v115, align 8
  %v116 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v114, i32 0, i32 6
  %v117 = load i64, ptr %v116, align 8
  %v118 = getelementptr i64, ptr %v1, i64 %v117
  %v119 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v114, i32 0, i32 5
  %v120 = load i64, ptr %v119, align 8
  br label %b39
b39:
  %v121 = phi i64 [ 0, %b38 ], [ %v127, %b41 ]
  %v122 = icmp eq i64 %v121, %v120
  br i1 %v122, label %b40, label %b41
b40:
  %v123 = add i64 %v9, 1
  br label %b3
b41:
  %v124 = getelementptr i64, ptr %v118, i64 %v121
  %v125 = load i64, ptr %v124, align 8
  %v126 = getelementptr i64, ptr %v1, i64 %v125
  store i64 %v109, ptr %v126, align 8
  %v127 = add i64 %v121, 1
  br label %b39
b42:
  %v128 = call i32 @PyErr_BadArgument()
  ret ptr null
b43:
  %v129 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 3
  %v130 = load ptr, ptr %v129, align 8
  call void @Py_IncRef(ptr %v130)
  ret ptr %v130
}
