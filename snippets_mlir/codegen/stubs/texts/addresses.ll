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
  br i1 %v4, label %b1, label %b48
b1:
  %v5 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 10
  %v6 = load i64, ptr %v5, align 8
  %v7 = icmp eq i64 %a2, %v6
  br i1 %v7, label %b2, label %b47
b2:
  %v8 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 1
  br label %b3
b3:
  %v9 = phi i64 [ 0, %b2 ], [ %v142, %b45 ]
  %v10 = icmp eq i64 %v9, %a2
  br i1 %v10, label %b4, label %b39
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
  %v32 = phi i64 [ 0, %b6 ], [ %v125, %b38 ]
  %v33 = icmp eq i64 %v32, %v31
  br i1 %v33, label %b31, label %b8
b8:
  %v34 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v28, i64 %v32
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
  %v45 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 3
  %v46 = load i64, ptr %v45, align 8
  %v47 = icmp eq i64 %v46, 0
  br i1 %v47, label %b11, label %b23
b11:
  %v48 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 5
  %v49 = load ptr, ptr %v48, align 8
  %v50 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 6
  %v51 = load ptr, ptr %v50, align 8
  %v52 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 1
  %v53 = load i64, ptr %v52, align 8
  %v54 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 2
  %v55 = load i64, ptr %v54, align 8
  %v56 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 4
  %v57 = load i64, ptr %v56, align 8
  %v58 = ptrtoint ptr %v49 to i64
  %v59 = icmp eq i64 %v58, 0
  br i1 %v59, label %b12, label %b13
b12:
  br label %b14
b13:
  %v60 = getelementptr ptr, ptr %v51, i32 0
  %v61 = load ptr, ptr %v60, align 8
  %v62 = getelementptr ptr, ptr %v51, i32 2
  %v63 = load ptr, ptr %v62, align 8
  %v64 = call i64 %v49(ptr %v61, ptr %v63, i64 %v53, i64 %v55, i64 %v57)
  br label %b14
b14:
  %v65 = phi i64 [ 1, %b12 ], [ %v64, %b13 ]
  %v66 = icmp ne i64 %v65, 0
  br i1 %v66, label %b15, label %b22
b15:
  br i1 %v21, label %b16, label %b17
b16:
  %v67 = load ptr, ptr %v12, align 8
  call void @PyEval_RestoreThread(ptr %v67)
  br label %b17
b17:
  %v68 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 0
  %v69 = load ptr, ptr %v68, align 8
  %v70 = call ptr @PyObject_CallNoArgs(ptr %v69)
  %v71 = ptrtoint ptr %v70 to i64
  %v72 = icmp eq i64 %v71, 0
  %v73 = zext i1 %v72 to i64
  store i64 %v73, ptr %v13, align 8
  %v74 = xor i1 %v72, true
  br i1 %v74, label %b18, label %b19
b18:
  call void @Py_DecRef(ptr %v70)
  br label %b19
b19:
  br i1 %v21, label %b20, label %b21
b20:
  %v75 = call ptr @PyEval_SaveThread()
  store ptr %v75, ptr %v12, align 8
  br label %b21
b21:
  br label %b22
b22:
  br label %b30
b23:
  %v76 = icmp ugt i64 %v46, 1
  %v77 = and i1 %v76, %v18
  br i1 %v77, label %b24, label %b25
b24:
  %v78 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 0
  %v79 = load ptr, ptr %v78, align 8
  %v80 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 6
  %v81 = load ptr, ptr %v80, align 8
  %v82 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 7
  %v83 = load ptr, ptr %v82, align 8
  %v84 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 8
  %v85 = load ptr, ptr %v84, align 8
  %v86 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 1
  %v87 = load i64, ptr %v86, align 8
  %v88 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 2
  %v89 = load i64, ptr %v88, align 8
  %v90 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 3
  %v91 = load i64, ptr %v90, align 8
  %v92 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 4
  %v93 = load i64, ptr %v92, align 8
  %v94 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 5
  %v95 = load ptr, ptr %v94, align 8
  %v96 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 4
  %v97 = load ptr, ptr %v96, align 8
  %v98 = trunc i64 %v91 to i32
  call void %v95(ptr %v97, ptr %v79, ptr %v81, ptr %v83, ptr %v85, i64 %v87, i64 %v89, i32 %v98, i64 %v93)
  br label %b29
b25:
  %v99 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 0
  %v100 = load ptr, ptr %v99, align 8
  %v101 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 1
  %v102 = load i64, ptr %v101, align 8
  %v103 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 2
  %v104 = load i64, ptr %v103, align 8
  %v105 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 4
  %v106 = load i64, ptr %v105, align 8
  %v107 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v34, i32 0, i32 6
  %v108 = icmp eq i64 %v106, 0
  br i1 %v108, label %b26, label %b27
b26:
  call void %v100(ptr %v107, i64 0, i64 %v102, i64 0)
  br label %b28
b27:
  call void @snippets_range(ptr %v100, ptr %v107, i64 0, i64 %v102, i64 0, i64 %v104, i64 %v106)
  br label %b28
b28:
  br label %b29
b29:
  br label %b30
b30:
  %v109 = load i64, ptr %v13, align 8
  %v110 = icmp ne i64 %v109, 0
  br i1 %v110, label %b31, label %b36
b31:
  br i1 %v21, label %b32, label %b33
b32:
  %v111 = load ptr, ptr %v12, align 8
  call void @PyEval_RestoreThread(ptr %v111)
  br label %b33
b33:
  %v112 = load i64, ptr %v13, align 8
  %v113 = icmp ne i64 %v112, 0
  %v114 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  store i64 0, ptr %v114, align 8
  br i1 %v113, label %b34, label %b35
b34:
  ret ptr null
b35:
  %v115 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 2
  %v116 = load ptr, ptr %v115, align 8
  call void @Py_IncRef(ptr %v116)
  ret ptr %v116
b36:
  br i1 %v25, label %b37, label %b38
b37:
  %v117 = call i32 @clock_gettime(i32 1, ptr %v14)
  %v118 = getelementptr { i64, i64 }, ptr %v14, i32 0, i32 0
  %v119 = load i64, ptr %v118, align 8
  %v120 = getelementptr { i64, i64 }, ptr %v14, i32 0, i32 1
  %v121 = load i64, ptr %v120, align 8
  %v122 = mul i64 %v119, 1000000000
  %v123 = add i64 %v122, %v121
  %v124 = getelementptr i64, ptr %v36, i32 1
  store i64 %v123, ptr %v124, align 8
  br label %b38
b38:
  %v125 = add i64 %v32, 1
  br label %b7
b39:
  %v126 = getelementptr ptr, ptr %a1, i64 %v9
  %v127 = load ptr, ptr %v126, align 8
  %v128 = call i64 @PyLong_AsLongLong(ptr %v127)
  %v129 = icmp eq i64 %v128, -1
  br i1 %v129, label %b40, label %b43
b40:
  %v130 = call ptr @PyErr_Occurred()
  %v131 = ptrtoint ptr %v130 to i64
  %v132 = icmp ne i64 %v131, 0
  br i1 %v132, label %b41, label %b42
b41:
  ret ptr null
b42:
  br label %b43
b43:
  %v133 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v8, i64 %v9
  %v134 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v133, i32 0, i32 7
  store i64 %v128, ptr %v134, align 8
  %v135 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v133, i32 0, i32 6
  %v136 = load i64, ptr %v135, align 8
  %v137 = getelementptr i64, ptr %v1, i64 %v136
  %v138 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v133, i32 0, i32 5
  %v139 = load i64, ptr %v138, align 8
  br label %b44
b44:
  %v140 = phi i64 [ 0, %b43 ], [ %v146, %b46 ]
  %v141 = icmp eq i64 %v140, %v139
  br i1 %v141, label %b45, label %b46
b45:
  %v142 = add i64 %v9, 1
  br label %b3
b46:
  %v143 = getelementptr i64, ptr %v137, i64 %v140
  %v144 = load i64, ptr %v143, align 8
  %v145 = getelementptr i64, ptr %v1, i64 %v144
  store i64 %v128, ptr %v145, align 8
  %v146 = add i64 %v140, 1
  br label %b44
b47:
  %v147 = call i32 @PyErr_BadArgument()
  ret ptr null
b48:
  %v148 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 3
  %v149 = load ptr, ptr %v148, align 8
  call void @Py_IncRef(ptr %v149)
  ret ptr %v149
}
