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
  br i1 %v12, label %b1, label %b60
b1:
  %v13 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 10
  %v14 = load i64, ptr %v13, align 8
  %v15 = icmp eq i64 %v9, %v14
  br i1 %v15, label %b2, label %b60
b2:
  %v16 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 1
  %v17 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v3, i32 0, i32 4
  %v18 = load ptr, ptr %v17, align 8
  %v19 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v3, i32 0, i32 2
  %v20 = load i64, ptr %v19, align 8
  br label %b3
b3:
  %v21 = phi i64 [ 0, %b2 ], [ %v208, %b56 ]
  %v22 = icmp eq i64 %v21, %v20
  br i1 %v22, label %b4, label %b50
b4:
  %v23 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 1
  %v24 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v4, i32 0, i32 4
  %v25 = load ptr, ptr %v24, align 8
  %v26 = getelementptr { i64, ptr, i64, ptr, ptr }, ptr %v4, i32 0, i32 2
  %v27 = load i64, ptr %v26, align 8
  br label %b5
b5:
  %v28 = phi i64 [ 0, %b4 ], [ %v165, %b46 ]
  %v29 = icmp eq i64 %v28, %v27
  br i1 %v29, label %b6, label %b40
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
  %v57 = phi i64 [ 0, %b10 ], [ %v132, %b39 ]
  %v58 = icmp eq i64 %v57, %v56
  br i1 %v58, label %b30, label %b12
b12:
  %v59 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v53, i64 %v57
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
  %v70 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 3
  %v71 = load i64, ptr %v70, align 8
  %v72 = icmp eq i64 %v71, 0
  br i1 %v72, label %b15, label %b22
b15:
  br i1 %v46, label %b16, label %b17
b16:
  %v73 = load ptr, ptr %v37, align 8
  call void @PyEval_RestoreThread(ptr %v73)
  br label %b17
b17:
  %v74 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 0
  %v75 = load ptr, ptr %v74, align 8
  %v76 = call ptr @PyObject_CallNoArgs(ptr %v75)
  %v77 = ptrtoint ptr %v76 to i64
  %v78 = icmp eq i64 %v77, 0
  %v79 = zext i1 %v78 to i64
  store i64 %v79, ptr %v38, align 8
  %v80 = xor i1 %v78, true
  br i1 %v80, label %b18, label %b19
b18:
  call void @Py_DecRef(ptr %v76)
  br label %b19
b19:
  br i1 %v46, label %b20, label %b21
b20:
  %v81 = call ptr @PyEval_SaveThread()
  store ptr %v81, ptr %v37, align 8
  br label %b21
b21:
  br label %b29
b22:
  %v82 = icmp ugt i64 %v71, 1
  %v83 = and i1 %v82, %v43
  br i1 %v83, label %b23, label %b24
b23:
  %v84 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 0
  %v85 = load ptr, ptr %v84, align 8
  %v86 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 5
  %v87 = load ptr, ptr %v86, align 8
  %v88 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 6
  %v89 = load ptr, ptr %v88, align 8
  %v90 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 7
  %v91 = load ptr, ptr %v90, align 8
  %v92 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 1
  %v93 = load i64, ptr %v92, align 8
  %v94 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 2
  %v95 = load i64, ptr %v94, align 8
  %v96 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 3
  %v97 = load i64, ptr %v96, align 8
  %v98 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 4
  %v99 = load i64, ptr %v98, align 8
  %v100 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 5
  %v101 = load ptr, ptr %v100, align 8
  %v102 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a1, i32 0, i32 4
  %v103 = load ptr, ptr %v102, align 8
  %v104 = trunc i64 %v97 to i32
  call void %v101(ptr %v103, ptr %v85, ptr %v87, ptr %v89, ptr %v91, i64 %v93, i64 %v95, i32 %v104, i64 %v99)
  br label %b28
b24:
  %v105 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 0
  %v106 = load ptr, ptr %v105, align 8
  %v107 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 1
  %v108 = load i64, ptr %v107, align 8
  %v109 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 2
  %v110 = load i64, ptr %v109, align 8
  %v111 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 4
  %v112 = load i64, ptr %v111, align 8
  %v113 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v59, i32 0, i32 5
  %v114 = icmp eq i64 %v112, 0
  br i1 %v114, label %b25, label %b26
b25:
  call void %v106(ptr %v113, i64 0, i64 %v108, i64 0)
  br label %b27
b26:
  call void @snippets_range(ptr %v106, ptr %v113, i64 0, i64 %v108, i64 0, i64 %v110, i64 %v112)
  br label %b27
b27:
  br label %b28
b28:
  br label %b29
b29:
  %v115 = load i64, ptr %v38, align 8
  %v116 = icmp ne i64 %v115, 0
  br i1 %v116, label %b30, label %b37
b30:
  br i1 %v46, label %b31, label %b32
b31:
  %v117 = load ptr, ptr %v37, align 8
  call void @PyEval_RestoreThread(ptr %v117)
  br label %b32
b32:
  %v118 = load i64, ptr %v38, align 8
  %v119 = icmp ne i64 %v118, 0
  br i1 %v119, label %b33, label %b34
b33:
  %v120 = call ptr @snippets_xla_raised(ptr %a0)
  store ptr %v120, ptr %v1, align 8
  br label %b34
b34:
  br i1 %v35, label %b35, label %b36
b35:
  %v121 = load i32, ptr %v2, align 4
  call void @PyGILState_Release(i32 %v121)
  br label %b36
b36:
  %v122 = call i32 @fesetenv(ptr %v0)
  %v123 = load ptr, ptr %v1, align 8
  ret ptr %v123
b37:
  br i1 %v50, label %b38, label %b39
b38:
  %v124 = call i32 @clock_gettime(i32 1, ptr %v39)
  %v125 = getelementptr { i64, i64 }, ptr %v39, i32 0, i32 0
  %v126 = load i64, ptr %v125, align 8
  %v127 = getelementptr { i64, i64 }, ptr %v39, i32 0, i32 1
  %v128 = load i64, ptr %v127, align 8
  %v129 = mul i64 %v126, 1000000000
  %v130 = add i64 %v129, %v128
  %v131 = getelementptr i64, ptr %v61, i32 1
  store i64 %v130, ptr %v131, align 8
  br label %b39
b39:
  %v132 = add i64 %v57, 1
  br label %b11
b40:
  %v133 = getelementptr ptr, ptr %v25, i64 %v28
  %v134 = load ptr, ptr %v133, align 8
  %v135 = add i64 %v28, %v6
  %v136 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v23, i64 %v135
  %v137 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v134, i32 0, i32 0
  %v138 = load i64, ptr %v137, align 8
  %v139 = icmp uge i64 %v138, 48
  br i1 %v139, label %b41, label %b60
b41:
  %v140 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v134, i32 0, i32 4
  %v141 = load i64, ptr %v140, align 8
  %v142 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v136, i32 0, i32 2
  %v143 = load i64, ptr %v142, align 8
  %v144 = icmp eq i64 %v141, %v143
  br i1 %v144, label %b42, label %b60
b42:
  %v145 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v134, i32 0, i32 5
  %v146 = load ptr, ptr %v145, align 8
  %v147 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v136, i32 0, i32 4
  %v148 = load i64, ptr %v147, align 8
  %v149 = getelementptr i64, ptr %a1, i64 %v148
  %v150 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v136, i32 0, i32 2
  %v151 = load i64, ptr %v150, align 8
  br label %b43
b43:
  %v152 = phi i64 [ 0, %b42 ], [ %v175, %b49 ]
  %v153 = icmp eq i64 %v152, %v151
  br i1 %v153, label %b44, label %b48
b44:
  %v154 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v134, i32 0, i32 3
  %v155 = load ptr, ptr %v154, align 8
  %v156 = ptrtoint ptr %v155 to i64
  %v157 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v136, i32 0, i32 7
  store i64 %v156, ptr %v157, align 8
  %v158 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v136, i32 0, i32 6
  %v159 = load i64, ptr %v158, align 8
  %v160 = getelementptr i64, ptr %a1, i64 %v159
  %v161 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v136, i32 0, i32 5
  %v162 = load i64, ptr %v161, align 8
  br label %b45
b45:
  %v163 = phi i64 [ 0, %b44 ], [ %v169, %b47 ]
  %v164 = icmp eq i64 %v163, %v162
  br i1 %v164, label %b46, label %b47
b46:
  %v165 = add i64 %v28, 1
  br label %b5
b47:
  %v166 = getelementptr i64, ptr %v160, i64 %v163
  %v167 = load i64, ptr %v166, align 8
  %v168 = getelementptr i64, ptr %a1, i64 %v167
  store i64 %v156, ptr %v168, align 8
  %v169 = add i64 %v163, 1
  br label %b45
b48:
  %v170 = getelementptr i64, ptr %v146, i64 %v152
  %v171 = load i64, ptr %v170, align 8
  %v172 = getelementptr i64, ptr %v149, i64 %v152
  %v173 = load i64, ptr %v172, align 8
  %v174 = icmp eq i64 %v171, %v173
  br i1 %v174, label %b49, label %b60
b49:
  %v175 = add i64 %v152, 1
  br label %b43
b50:
  %v176 = getelementptr ptr, ptr %v18, i64 %v21
  %v177 = load ptr, ptr %v176, align 8
  %v178 = add i64 %v21, 0
  %v179 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v16, i64 %v178
  %v180 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v177, i32 0, i32 0
  %v181 = load i64, ptr %v180, align 8
  %v182 = icmp uge i64 %v181, 48
  br i1 %v182, label %b51, label %b60
b51:
  %v183 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v177, i32 0, i32 4
  %v184 = load i64, ptr %v183, align 8
  %v185 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v179, i32 0, i32 2
  %v186 = load i64, ptr %v185, align 8
  %v187 = icmp eq i64 %v184, %v186
  br i1 %v187, label %b52, label %b60
b52:
  %v188 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v177, i32 0, i32 5
  %v189 = load ptr, ptr %v188, align 8
  %v190 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v179, i32 0, i32 4
  %v191 = load i64, ptr %v190, align 8
  %v192 = getelementptr i64, ptr %a1, i64 %v191
  %v193 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v179, i32 0, i32 2
  %v194 = load i64, ptr %v193, align 8
  br label %b53
b53:
  %v195 = phi i64 [ 0, %b52 ], [ %v218, %b59 ]
  %v196 = icmp eq i64 %v195, %v194
  br i1 %v196, label %b54, label %b58
b54:
  %v197 = getelementptr { i64, ptr, i32, ptr, i64, ptr }, ptr %v177, i32 0, i32 3
  %v198 = load ptr, ptr %v197, align 8
  %v199 = ptrtoint ptr %v198 to i64
  %v200 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v179, i32 0, i32 7
  store i64 %v199, ptr %v200, align 8
  %v201 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v179, i32 0, i32 6
  %v202 = load i64, ptr %v201, align 8
  %v203 = getelementptr i64, ptr %a1, i64 %v202
  %v204 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v179, i32 0, i32 5
  %v205 = load i64, ptr %v204, align 8
  br label %b55
b55:
  %v206 = phi i64 [ 0, %b54 ], [ %v212, %b57 ]
  %v207 = icmp eq i64 %v206, %v205
  br i1 %v207, label %b56, label %b57
b56:
  %v208 = add i64 %v21, 1
  br label %b3
b57:
  %v209 = getelementptr i64, ptr %v203, i64 %v206
  %v210 = load i64, ptr %v209, align 8
  %v211 = getelementptr i64, ptr %a1, i64 %v210
  store i64 %v199, ptr %v211, align 8
  %v212 = add i64 %v206, 1
  br label %b55
b58:
  %v213 = getelementptr i64, ptr %v189, i64 %v195
  %v214 = load i64, ptr %v213, align 8
  %v215 = getelementptr i64, ptr %v192, i64 %v195
  %v216 = load i64, ptr %v215, align 8
  %v217 = icmp eq i64 %v214, %v216
  br i1 %v217, label %b59, label %b60
b59:
  %v218 = add i64 %v195, 1
  br label %b53
b60:
  %v219 = call ptr @snippets_xla_fail(ptr %a0, i32 3, ptr @snippets_other_arrays)
  ret ptr %v219
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
