declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr)

declare ptr @PyObject_CallNoArgs(ptr)

declare void @Py_DecRef(ptr)

declare i32 @clock_gettime(i32, ptr)

declare i32 @sched_yield()

declare i32 @fegetenv(ptr)

declare i32 @fesetenv(ptr)

declare i32 @PyGILState_Ensure()

declare void @PyGILState_Release(i32)

@snippets_process = global [1 x i64] [i64 0], align 8

@snippets_xla_minor = global [1 x i32] [i32 0], align 4

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

declare void @PyErr_Fetch(ptr, ptr, ptr)

declare void @PyErr_NormalizeException(ptr, ptr, ptr)

declare void @PyErr_Clear()

declare ptr @PyObject_Str(ptr)

declare ptr @PyUnicode_AsUTF8(ptr)

@snippets_other_process = internal constant [110 x i8] c"snippets_mlir: this executable was compiled in another process; the kernels that it calls are not in this one\00"

@snippets_other_arrays = internal constant [63 x i8] c"snippets_mlir: the arrays are not those of the kernel's shapes\00"

@snippets_other_structs = internal constant [100 x i8] c"snippets_mlir: XLA's foreign function interface has structs of other sizes than versions 0.1 to 0.3\00"

@snippets_step_failed = internal constant [44 x i8] c"snippets_mlir: a step of the program failed\00"

define internal ptr @snippets_xla_fail(ptr %a0, i32 %a1, ptr %a2) {
b0:
  %v0 = alloca { i64, ptr, ptr, i32 }, i64 1, align 8
  %v1 = getelementptr { i64, ptr, ptr, i32 }, ptr %v0, i32 0, i32 0
  store i64 28, ptr %v1, align 8
  %v2 = getelementptr { i64, ptr, ptr, i32 }, ptr %v0, i32 0, i32 1
  store ptr null, ptr %v2, align 8
  %v3 = getelementptr { i64, ptr, ptr, i32 }, ptr %v0, i32 0, i32 2
  store ptr %a2, ptr %v3, align 8
  %v4 = getelementptr { i64, ptr, ptr, i32 }, ptr %v0, i32 0, i32 3
  store i32 %a1, ptr %v4, align 4
  %v5 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 2
  %v6 = load ptr, ptr %v5, align 8
  %v7 = getelementptr { i64, ptr, { i64, ptr, i32, i32 }, ptr, ptr }, ptr %v6, i32 0, i32 4
  %v8 = load ptr, ptr %v7, align 8
  %v9 = call ptr %v8(ptr %v0)
  ret ptr %v9
}

define internal ptr @snippets_xla_raised(ptr %a0) {
b0:
  %v0 = alloca ptr, i64 1, align 8
  %v1 = alloca ptr, i64 1, align 8
  %v2 = alloca ptr, i64 1, align 8
  call void @PyErr_Fetch(ptr %v0, ptr %v1, ptr %v2)
  call void @PyErr_NormalizeException(ptr %v0, ptr %v1, ptr %v2)
  %v3 = load ptr, ptr %v1, align 8
  %v4 = call ptr @PyObject_Str(ptr %v3)
  %v5 = alloca ptr, i64 1, align 8
  store ptr @snippets_step_failed, ptr %v5, align 8
  %v6 = ptrtoint ptr %v4 to i64
  %v7 = icmp ne i64 %v6, 0
  br i1 %v7, label %b1, label %b4
b1:
  %v8 = call ptr @PyUnicode_AsUTF8(ptr %v4)
  %v9 = ptrtoint ptr %v8 to i64
  %v10 = icmp ne i64 %v9, 0
  br i1 %v10, label %b2, label %b3
b2:
  store ptr %v8, ptr %v5, align 8
  br label %b3
b3:
  br label %b4
b4:
  call void @PyErr_Clear()
  %v11 = load ptr, ptr %v5, align 8
  %v12 = call ptr @snippets_xla_fail(ptr %a0, i32 13, ptr %v11)
  %v13 = load ptr, ptr %v0, align 8
  %v14 = load ptr, ptr %v1, align 8
  %v15 = load ptr, ptr %v2, align 8
  %v16 = ptrtoint ptr %v4 to i64
  %v17 = icmp ne i64 %v16, 0
  br i1 %v17, label %b5, label %b6
b5:
  call void @Py_DecRef(ptr %v4)
  br label %b6
b6:
  %v18 = ptrtoint ptr %v13 to i64
  %v19 = icmp ne i64 %v18, 0
  br i1 %v19, label %b7, label %b8
b7:
  call void @Py_DecRef(ptr %v13)
  br label %b8
b8:
  %v20 = ptrtoint ptr %v14 to i64
  %v21 = icmp ne i64 %v20, 0
  br i1 %v21, label %b9, label %b10
b9:
  call void @Py_DecRef(ptr %v14)
  br label %b10
b10:
  %v22 = ptrtoint ptr %v15 to i64
  %v23 = icmp ne i64 %v22, 0
  br i1 %v23, label %b11, label %b12
b11:
  call void @Py_DecRef(ptr %v15)
  br label %b12
b12:
  ret ptr %v12
}

define internal ptr @snippets_xla_run(ptr %a0, ptr %a1) {
b0:
  %v0 = alloca [4 x i64], i64 1, align 8
  %v1 = alloca ptr, i64 1, align 8
  %v2 = alloca i32, i64 1, align 8
  %v3 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 5
  %v4 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 6
  %v5 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v3, i32 0, i32 2
  %v6 = load i64, ptr %v5, align 8
  %v7 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v4, i32 0, i32 2
  %v8 = load i64, ptr %v7, align 8
  %v9 = add i64 %v6, %v8
  %v10 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 9
  %v11 = load i64, ptr %v10, align 8
  %v12 = icmp eq i64 %v6, %v11
  br i1 %v12, label %b1, label %b65
b1:
  %v13 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 10
  %v14 = load i64, ptr %v13, align 8
  %v15 = icmp eq i64 %v9, %v14
  br i1 %v15, label %b2, label %b65
b2:
  %v16 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 1
  %v17 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v3, i32 0, i32 4
  %v18 = load ptr, ptr %v17, align 8
  %v19 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v3, i32 0, i32 2
  %v20 = load i64, ptr %v19, align 8
  br label %b3
b3:
  %v21 = phi i64 [ 0, %b2 ], [ %v227, %b61 ]
  %v22 = icmp eq i64 %v21, %v20
  br i1 %v22, label %b4, label %b55
b4:
  %v23 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 1
  %v24 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v4, i32 0, i32 4
  %v25 = load ptr, ptr %v24, align 8
  %v26 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v4, i32 0, i32 2
  %v27 = load i64, ptr %v26, align 8
  br label %b5
b5:
  %v28 = phi i64 [ 0, %b4 ], [ %v184, %b51 ]
  %v29 = icmp eq i64 %v28, %v27
  br i1 %v29, label %b6, label %b45
b6:
  store ptr null, ptr %v1, align 8
  %v30 = call i32 @fegetenv(ptr %v0)
  %v31 = inttoptr i64 -1 to ptr
  %v32 = call i32 @fesetenv(ptr %v31)
  %v33 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 8
  %v34 = load i64, ptr %v33, align 8
  %v35 = icmp ne i64 %v34, 0
  br i1 %v35, label %b7, label %b8
b7:
  %v36 = call i32 @PyGILState_Ensure()
  store i32 %v36, ptr %v2, align 4
  br label %b8
b8:
  %v37 = alloca ptr, i64 1, align 8
  %v38 = alloca i64, i64 1, align 8
  %v39 = alloca { i64, i64 }, i64 1, align 8
  store i64 0, ptr %v38, align 8
  %v40 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 6
  %v41 = load ptr, ptr %v40, align 8
  %v42 = load i32, ptr %v41, align 4
  %v43 = icmp eq i32 %v42, 0
  %v44 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 8
  %v45 = load i64, ptr %v44, align 8
  %v46 = icmp ne i64 %v45, 0
  %v47 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 7
  %v48 = load ptr, ptr %v47, align 8
  %v49 = ptrtoint ptr %v48 to i64
  %v50 = icmp ne i64 %v49, 0
  %v51 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 13
  %v52 = load i64, ptr %v51, align 8
  %v53 = getelementptr i64, ptr %a1, i64 %v52
  br i1 %v46, label %b9, label %b10
b9:
  %v54 = call ptr @PyEval_SaveThread()
  store ptr %v54, ptr %v37, align 8
  br label %b10
b10:
  %v55 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 11
  %v56 = load i64, ptr %v55, align 8
  br label %b11
b11:
  %v57 = phi i64 [ 0, %b10 ], [ %v151, %b44 ]
  %v58 = icmp eq i64 %v57, %v56
  br i1 %v58, label %b35, label %b12
b12:
  %v59 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v53, i64 %v57
  %v60 = add i64 %v57, %v57
  %v61 = getelementptr i64, ptr %v48, i64 %v60
  br i1 %v50, label %b13, label %b14
b13:
  %v62 = call i32 @clock_gettime(i32 1, ptr %v39)
  %v63 = getelementptr { i64, i64 }, ptr %v39, i32 0, i32 0
  %v64 = load i64, ptr %v63, align 8
  %v65 = getelementptr { i64, i64 }, ptr %v39, i32 0, i32 1
  %v66 = load i64, ptr %v65, align 8
  %v67 = mul i64 %v64, 1000000000
  %v68 = add i64 %v67, %v66
  %v69 = getelementptr i64, ptr %v61, i32 0
  store i64 %v68, ptr %v69, align 8
  br label %b14
b14:
  %v70 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 3
  %v71 = load i64, ptr %v70, align 8
  %v72 = icmp eq i64 %v71, 0
  br i1 %v72, label %b15, label %b27
b15:
  %v73 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 5
  %v74 = load ptr, ptr %v73, align 8
  %v75 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 6
  %v76 = load ptr, ptr %v75, align 8
  %v77 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 1
  %v78 = load i64, ptr %v77, align 8
  %v79 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 2
  %v80 = load i64, ptr %v79, align 8
  %v81 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 4
  %v82 = load i64, ptr %v81, align 8
  %v83 = ptrtoint ptr %v74 to i64
  %v84 = icmp eq i64 %v83, 0
  br i1 %v84, label %b16, label %b17
b16:
  br label %b18
b17:
  %v85 = getelementptr ptr, ptr %v76, i32 0
  %v86 = load ptr, ptr %v85, align 8
  %v87 = getelementptr ptr, ptr %v76, i32 2
  %v88 = load ptr, ptr %v87, align 8
  %v89 = call i64 %v74(ptr %v86, ptr %v88, i64 %v78, i64 %v80, i64 %v82)
  br label %b18
b18:
  %v90 = phi i64 [ 1, %b16 ], [ %v89, %b17 ]
  %v91 = icmp ne i64 %v90, 0
  br i1 %v91, label %b19, label %b26
b19:
  br i1 %v46, label %b20, label %b21
b20:
  %v92 = load ptr, ptr %v37, align 8
  call void @PyEval_RestoreThread(ptr %v92)
  br label %b21
b21:
  %v93 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 0
  %v94 = load ptr, ptr %v93, align 8
  %v95 = call ptr @PyObject_CallNoArgs(ptr %v94)
  %v96 = ptrtoint ptr %v95 to i64
  %v97 = icmp eq i64 %v96, 0
  %v98 = zext i1 %v97 to i64
  store i64 %v98, ptr %v38, align 8
  %v99 = xor i1 %v97, true
  br i1 %v99, label %b22, label %b23
b22:
  call void @Py_DecRef(ptr %v95)
  br label %b23
b23:
  br i1 %v46, label %b24, label %b25
b24:
  %v100 = call ptr @PyEval_SaveThread()
  store ptr %v100, ptr %v37, align 8
  br label %b25
b25:
  br label %b26
b26:
  br label %b34
b27:
  %v101 = icmp ugt i64 %v71, 1
  %v102 = and i1 %v101, %v43
  br i1 %v102, label %b28, label %b29
b28:
  %v103 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 0
  %v104 = load ptr, ptr %v103, align 8
  %v105 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 6
  %v106 = load ptr, ptr %v105, align 8
  %v107 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 7
  %v108 = load ptr, ptr %v107, align 8
  %v109 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 8
  %v110 = load ptr, ptr %v109, align 8
  %v111 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 1
  %v112 = load i64, ptr %v111, align 8
  %v113 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 2
  %v114 = load i64, ptr %v113, align 8
  %v115 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 3
  %v116 = load i64, ptr %v115, align 8
  %v117 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 4
  %v118 = load i64, ptr %v117, align 8
  %v119 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 5
  %v120 = load ptr, ptr %v119, align 8
  %v121 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 4
  %v122 = load ptr, ptr %v121, align 8
  %v123 = trunc i64 %v116 to i32
  call void %v120(ptr %v122, ptr %v104, ptr %v106, ptr %v108, ptr %v110, i64 %v112, i64 %v114, i32 %v123, i64 %v118)
  br label %b33
b29:
  %v124 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 0
  %v125 = load ptr, ptr %v124, align 8
  %v126 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 1
  %v127 = load i64, ptr %v126, align 8
  %v128 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 2
  %v129 = load i64, ptr %v128, align 8
  %v130 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 4
  %v131 = load i64, ptr %v130, align 8
  %v132 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v59, i32 0, i32 6
  %v133 = icmp eq i64 %v131, 0
  br i1 %v133, label %b30, label %b31
b30:
  call void %v125(ptr %v132, i64 0, i64 %v127, i64 0)
  br label %b32
b31:
  call void @snippets_range(ptr %v125, ptr %v132, i64 0, i64 %v127, i64 0, i64 %v129, i64 %v131)
  br label %b32
b32:
  br label %b33
b33:
  br label %b34
b34:
  %v134 = load i64, ptr %v38, align 8
  %v135 = icmp ne i64 %v134, 0
  br i1 %v135, label %b35, label %b42
b35:
  br i1 %v46, label %b36, label %b37
b36:
  %v136 = load ptr, ptr %v37, align 8
  call void @PyEval_RestoreThread(ptr %v136)
  br label %b37
b37:
  %v137 = load i64, ptr %v38, align 8
  %v138 = icmp ne i64 %v137, 0
  br i1 %v138, label %b38, label %b39
b38:
  %v139 = call ptr @snippets_xla_raised(ptr %a0)
  store ptr %v139, ptr %v1, align 8
  br label %b39
b39:
  br i1 %v35, label %b40, label %b41
b40:
  %v140 = load i32, ptr %v2, align 4
  call void @PyGILState_Release(i32 %v140)
  br label %b41
b41:
  %v141 = call i32 @fesetenv(ptr %v0)
  %v142 = load ptr, ptr %v1, align 8
  ret ptr %v142
b42:
  br i1 %v50, label %b43, label %b44
b43:
  %v143 = call i32 @clock_gettime(i32 1, ptr %v39)
  %v144 = getelementptr { i64, i64 }, ptr %v39, i32 0, i32 0
  %v145 = load i64, ptr %v144, align 8
  %v146 = getelementptr { i64, i64 }, ptr %v39, i32 0, i32 1
  %v147 = load i64, ptr %v146, align 8
  %v148 = mul i64 %v145, 1000000000
  %v149 = add i64 %v148, %v147
  %v150 = getelementptr i64, ptr %v61, i32 1
  store i64 %v149, ptr %v150, align 8
  br label %b44
b44:
  %v151 = add i64 %v57, 1
  br label %b11
b45:
  %v152 = getelementptr ptr, ptr %v25, i64 %v28
  %v153 = load ptr, ptr %v152, align 8
  %v154 = add i64 %v28, %v6
  %v155 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v23, i64 %v154
  %v156 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v153, i32 0, i32 0
  %v157 = load i64, ptr %v156, align 8
  %v158 = icmp uge i64 %v157, 48
  br i1 %v158, label %b46, label %b65
b46:
  %v159 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v153, i32 0, i32 4
  %v160 = load i64, ptr %v159, align 8
  %v161 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v155, i32 0, i32 2
  %v162 = load i64, ptr %v161, align 8
  %v163 = icmp eq i64 %v160, %v162
  br i1 %v163, label %b47, label %b65
b47:
  %v164 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v153, i32 0, i32 5
  %v165 = load ptr, ptr %v164, align 8
  %v166 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v155, i32 0, i32 4
  %v167 = load i64, ptr %v166, align 8
  %v168 = getelementptr i64, ptr %a1, i64 %v167
  %v169 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v155, i32 0, i32 2
  %v170 = load i64, ptr %v169, align 8
  br label %b48
b48:
  %v171 = phi i64 [ 0, %b47 ], [ %v194, %b54 ]
  %v172 = icmp eq i64 %v171, %v170
  br i1 %v172, label %b49, label %b53
b49:
  %v173 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v153, i32 0, i32 3
  %v174 = load ptr, ptr %v173, align 8
  %v175 = ptrtoint ptr %v174 to i64
  %v176 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v155, i32 0, i32 7
  store i64 %v175, ptr %v176, align 8
  %v177 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v155, i32 0, i32 6
  %v178 = load i64, ptr %v177, align 8
  %v179 = getelementptr i64, ptr %a1, i64 %v178
  %v180 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v155, i32 0, i32 5
  %v181 = load i64, ptr %v180, align 8
  br label %b50
b50:
  %v182 = phi i64 [ 0, %b49 ], [ %v188, %b52 ]
  %v183 = icmp eq i64 %v182, %v181
  br i1 %v183, label %b51, label %b52
b51:
  %v184 = add i64 %v28, 1
  br label %b5
b52:
  %v185 = getelementptr i64, ptr %v179, i64 %v182
  %v186 = load i64, ptr %v185, align 8
  %v187 = getelementptr i64, ptr %a1, i64 %v186
  store i64 %v175, ptr %v187, align 8
  %v188 = add i64 %v182, 1
  br label %b50
b53:
  %v189 = getelementptr i64, ptr %v165, i64 %v171
  %v190 = load i64, ptr %v189, align 8
  %v191 = getelementptr i64, ptr %v168, i64 %v171
  %v192 = load i64, ptr %v191, align 8
  %v193 = icmp eq i64 %v190, %v192
  br i1 %v193, label %b54, label %b65
b54:
  %v194 = add i64 %v171, 1
  br label %b48
b55:
  %v195 = getelementptr ptr, ptr %v18, i64 %v21
  %v196 = load ptr, ptr %v195, align 8
  %v197 = add i64 %v21, 0
  %v198 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v16, i64 %v197
  %v199 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v196, i32 0, i32 0
  %v200 = load i64, ptr %v199, align 8
  %v201 = icmp uge i64 %v200, 48
  br i1 %v201, label %b56, label %b65
b56:
  %v202 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v196, i32 0, i32 4
  %v203 = load i64, ptr %v202, align 8
  %v204 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v198, i32 0, i32 2
  %v205 = load i64, ptr %v204, align 8
  %v206 = icmp eq i64 %v203, %v205
  br i1 %v206, label %b57, label %b65
b57:
  %v207 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v196, i32 0, i32 5
  %v208 = load ptr, ptr %v207, align 8
  %v209 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v198, i32 0, i32 4
  %v210 = load i64, ptr %v209, align 8
  %v211 = getelementptr i64, ptr %a1, i64 %v210
  %v212 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v198, i32 0, i32 2
  %v213 = load i64, ptr %v212, align 8
  br label %b58
b58:
  %v214 = phi i64 [ 0, %b57 ], [ %v237, %b64 ]
  %v215 = icmp eq i64 %v214, %v213
  br i1 %v215, label %b59, label %b63
b59:
  %v216 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v196, i32 0, i32 3
  %v217 = load ptr, ptr %v216, align 8
  %v218 = ptrtoint ptr %v217 to i64
  %v219 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v198, i32 0, i32 7
  store i64 %v218, ptr %v219, align 8
  %v220 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v198, i32 0, i32 6
  %v221 = load i64, ptr %v220, align 8
  %v222 = getelementptr i64, ptr %a1, i64 %v221
  %v223 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v198, i32 0, i32 5
  %v224 = load i64, ptr %v223, align 8
  br label %b60
b60:
  %v225 = phi i64 [ 0, %b59 ], [ %v231, %b62 ]
  %v226 = icmp eq i64 %v225, %v224
  br i1 %v226, label %b61, label %b62
b61:
  %v227 = add i64 %v21, 1
  br label %b3
b62:
  %v228 = getelementptr i64, ptr %v222, i64 %v225
  %v229 = load i64, ptr %v228, align 8
  %v230 = getelementptr i64, ptr %a1, i64 %v229
  store i64 %v218, ptr %v230, align 8
  %v231 = add i64 %v225, 1
  br label %b60
b63:
  %v232 = getelementptr i64, ptr %v208, i64 %v214
  %v233 = load i64, ptr %v232, align 8
  %v234 = getelementptr i64, ptr %v211, i64 %v214
  %v235 = load i64, ptr %v234, align 8
  %v236 = icmp eq i64 %v233, %v235
  br i1 %v236, label %b64, label %b65
b64:
  %v237 = add i64 %v214, 1
  br label %b58
b65:
  %v238 = call ptr @snippets_xla_fail(ptr %a0, i32 3, ptr @snippets_other_arrays)
  ret ptr %v238
}

define ptr @snippets_xla(ptr %a0) {
b0:
  %v0 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 1
  %v1 = load ptr, ptr %v0, align 8
  %v2 = ptrtoint ptr %v1 to i64
  %v3 = icmp ne i64 %v2, 0
  br i1 %v3, label %b1, label %b4
b1:
  %v4 = getelementptr { { i64, i32, ptr }, ptr }, ptr %v1, i32 0, i32 0
  %v5 = getelementptr { i64, i32, ptr }, ptr %v4, i32 0, i32 1
  %v6 = load i32, ptr %v5, align 4
  %v7 = icmp eq i32 %v6, 1
  br i1 %v7, label %b2, label %b3
b2:
  %v8 = getelementptr { { i64, i32, ptr }, ptr }, ptr %v1, i32 0, i32 1
  %v9 = load ptr, ptr %v8, align 8
  %v10 = getelementptr { i64, { i64, ptr, i32, i32 }, i32 }, ptr %v9, i32 0, i32 1
  %v11 = getelementptr { i64, ptr, i32, i32 }, ptr %v10, i32 0, i32 2
  store i32 0, ptr %v11, align 4
  %v12 = load i32, ptr @snippets_xla_minor, align 4
  %v13 = getelementptr { i64, ptr, i32, i32 }, ptr %v10, i32 0, i32 3
  store i32 %v12, ptr %v13, align 4
  %v14 = getelementptr { i64, { i64, ptr, i32, i32 }, i32 }, ptr %v9, i32 0, i32 2
  store i32 0, ptr %v14, align 4
  ret ptr null
b3:
  br label %b4
b4:
  %v15 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 5
  %v16 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v15, i32 0, i32 0
  %v17 = load i64, ptr %v16, align 8
  %v18 = icmp eq i64 %v17, 40
  br i1 %v18, label %b5, label %b14
b5:
  %v19 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 6
  %v20 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v19, i32 0, i32 0
  %v21 = load i64, ptr %v20, align 8
  %v22 = icmp eq i64 %v21, 40
  br i1 %v22, label %b6, label %b14
b6:
  %v23 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 7
  %v24 = getelementptr { i64, ptr, i64, ptr, ptr, ptr }, ptr %v23, i32 0, i32 0
  %v25 = load i64, ptr %v24, align 8
  %v26 = icmp eq i64 %v25, 48
  br i1 %v26, label %b7, label %b14
b7:
  %v27 = getelementptr { i64, ptr, ptr, ptr, i32, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr }, { i64, ptr, i64, ptr, ptr, ptr } }, ptr %a0, i32 0, i32 7
  %v28 = getelementptr { i64, ptr, i64, ptr, ptr, ptr }, ptr %v27, i32 0, i32 2
  %v29 = load i64, ptr %v28, align 8
  %v30 = icmp eq i64 %v29, 2
  br i1 %v30, label %b8, label %b13
b8:
  %v31 = getelementptr { i64, ptr, i64, ptr, ptr, ptr }, ptr %v27, i32 0, i32 5
  %v32 = load ptr, ptr %v31, align 8
  %v33 = getelementptr ptr, ptr %v32, i32 0
  %v34 = load ptr, ptr %v33, align 8
  %v35 = getelementptr { i32, ptr }, ptr %v34, i32 0, i32 1
  %v36 = load ptr, ptr %v35, align 8
  %v37 = load i64, ptr %v36, align 8
  %v38 = getelementptr ptr, ptr %v32, i32 1
  %v39 = load ptr, ptr %v38, align 8
  %v40 = getelementptr { i32, ptr }, ptr %v39, i32 0, i32 1
  %v41 = load ptr, ptr %v40, align 8
  %v42 = load i64, ptr %v41, align 8
  %v43 = load i64, ptr @snippets_process, align 8
  %v44 = icmp eq i64 %v37, %v43
  br i1 %v44, label %b9, label %b13
b9:
  %v45 = inttoptr i64 %v42 to ptr
  %v46 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v45, i32 0, i32 12
  br label %b10
b10:
  %v47 = phi i64 [ 0, %b9 ], [ %v52, %b12 ]
  %v48 = atomicrmw xchg ptr %v46, i64 1 acquire, align 8
  %v49 = icmp eq i64 %v48, 0
  br i1 %v49, label %b11, label %b12
b11:
  %v50 = call ptr @snippets_xla_run(ptr %a0, ptr %v45)
  store atomic i64 0, ptr %v46 release, align 8
  ret ptr %v50
b12:
  %v51 = call i32 @sched_yield()
  %v52 = add i64 %v47, 1
  br label %b10
b13:
  %v53 = call ptr @snippets_xla_fail(ptr %a0, i32 9, ptr @snippets_other_process)
  ret ptr %v53
b14:
  %v54 = call ptr @snippets_xla_fail(ptr %a0, i32 9, ptr @snippets_other_structs)
  ret ptr %v54
}
