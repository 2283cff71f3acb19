declare ptr @PyTuple_GetItem(ptr, i64)

declare ptr @PyEval_SaveThread()

declare void @PyEval_RestoreThread(ptr)

declare ptr @PyObject_CallNoArgs(ptr)

declare void @Py_DecRef(ptr)

declare i32 @clock_gettime(i32, ptr)

declare i32 @sem_wait(ptr)

declare i32 @sem_trywait(ptr)

declare i32 @sem_post(ptr)

declare i32 @sem_timedwait(ptr, ptr)

declare i32 @pthread_mutex_lock(ptr)

declare i32 @pthread_mutex_unlock(ptr)

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

define internal i64 @run_request(ptr %a0, ptr %a1, ptr %a2, ptr %a3) {
b0:
  %v0 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 9
  %v1 = load i64, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 0
  %v3 = load ptr, ptr %v2, align 8
  %v4 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 1
  %v5 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 10
  %v6 = load i64, ptr %v5, align 8
  br label %b1
b1:
  %v7 = phi i64 [ 0, %b0 ], [ %v159, %b37 ]
  %v8 = icmp eq i64 %v7, %v6
  br i1 %v8, label %b2, label %b26
b2:
  %v9 = alloca i64, i64 1, align 8
  %v10 = alloca { i64, i64 }, i64 1, align 8
  store i64 0, ptr %v9, align 8
  %v11 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 6
  %v12 = load ptr, ptr %v11, align 8
  %v13 = load i32, ptr %v12, align 4
  %v14 = icmp eq i32 %v13, 0
  %v15 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 7
  %v16 = load ptr, ptr %v15, align 8
  %v17 = ptrtoint ptr %v16 to i64
  %v18 = icmp ne i64 %v17, 0
  %v19 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 13
  %v20 = load i64, ptr %v19, align 8
  %v21 = getelementptr i64, ptr %a0, i64 %v20
  %v22 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 11
  %v23 = load i64, ptr %v22, align 8
  br label %b3
b3:
  %v24 = phi i64 [ 0, %b2 ], [ %v95, %b25 ]
  %v25 = icmp eq i64 %v24, %v23
  br i1 %v25, label %b22, label %b4
b4:
  %v26 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v21, i64 %v24
  %v27 = add i64 %v24, %v24
  %v28 = getelementptr i64, ptr %v16, i64 %v27
  br i1 %v18, label %b5, label %b6
b5:
  %v29 = call i32 @clock_gettime(i32 1, ptr %v10)
  %v30 = getelementptr { i64, i64 }, ptr %v10, i32 0, i32 0
  %v31 = load i64, ptr %v30, align 8
  %v32 = getelementptr { i64, i64 }, ptr %v10, i32 0, i32 1
  %v33 = load i64, ptr %v32, align 8
  %v34 = mul i64 %v31, 1000000000
  %v35 = add i64 %v34, %v33
  %v36 = getelementptr i64, ptr %v28, i32 0
  store i64 %v35, ptr %v36, align 8
  br label %b6
b6:
  %v37 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 3
  %v38 = load i64, ptr %v37, align 8
  %v39 = icmp eq i64 %v38, 0
  br i1 %v39, label %b7, label %b14
b7:
  br i1 true, label %b8, label %b9
b8:
  %v40 = load ptr, ptr %a3, align 8
  call void @PyEval_RestoreThread(ptr %v40)
  br label %b9
b9:
  %v41 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 0
  %v42 = load ptr, ptr %v41, align 8
  %v43 = call ptr @PyObject_CallNoArgs(ptr %v42)
  %v44 = ptrtoint ptr %v43 to i64
  %v45 = icmp eq i64 %v44, 0
  %v46 = zext i1 %v45 to i64
  store i64 %v46, ptr %v9, align 8
  %v47 = xor i1 %v45, true
  br i1 %v47, label %b10, label %b11
b10:
  call void @Py_DecRef(ptr %v43)
  br label %b11
b11:
  br i1 true, label %b12, label %b13
b12:
  %v48 = call ptr @PyEval_SaveThread()
  store ptr %v48, ptr %a3, align 8
  br label %b13
b13:
  br label %b21
b14:
  %v49 = icmp ugt i64 %v38, 1
  %v50 = and i1 %v49, %v14
  br i1 %v50, label %b15, label %b16
b15:
  %v51 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 0
  %v52 = load ptr, ptr %v51, align 8
  %v53 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 5
  %v54 = load ptr, ptr %v53, align 8
  %v55 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 6
  %v56 = load ptr, ptr %v55, align 8
  %v57 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 7
  %v58 = load ptr, ptr %v57, align 8
  %v59 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 1
  %v60 = load i64, ptr %v59, align 8
  %v61 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 2
  %v62 = load i64, ptr %v61, align 8
  %v63 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 3
  %v64 = load i64, ptr %v63, align 8
  %v65 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 4
  %v66 = load i64, ptr %v65, align 8
  %v67 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 5
  %v68 = load ptr, ptr %v67, align 8
  %v69 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v70 = load ptr, ptr %v69, align 8
  %v71 = trunc i64 %v64 to i32
  call void %v68(ptr %v70, ptr %v52, ptr %v54, ptr %v56, ptr %v58, i64 %v60, i64 %v62, i32 %v71, i64 %v66)
  br label %b20
b16:
  %v72 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 0
  %v73 = load ptr, ptr %v72, align 8
  %v74 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 1
  %v75 = load i64, ptr %v74, align 8
  %v76 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 2
  %v77 = load i64, ptr %v76, align 8
  %v78 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 4
  %v79 = load i64, ptr %v78, align 8
  %v80 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v26, i32 0, i32 5
  %v81 = icmp eq i64 %v79, 0
  br i1 %v81, label %b17, label %b18
b17:
  call void %v73(ptr %v80, i64 0, i64 %v75, i64 0)
  br label %b19
b18:
  call void @snippets_range(ptr %v73, ptr %v80, i64 0, i64 %v75, i64 0, i64 %v77, i64 %v79)
  br label %b19
b19:
  br label %b20
b20:
  br label %b21
b21:
  %v82 = load i64, ptr %v9, align 8
  %v83 = icmp ne i64 %v82, 0
  br i1 %v83, label %b22, label %b23
b22:
  %v84 = load i64, ptr %v9, align 8
  %v85 = icmp ne i64 %v84, 0
  %v86 = zext i1 %v85 to i64
  ret i64 %v86
b23:
  br i1 %v18, label %b24, label %b25
b24:
  %v87 = call i32 @clock_gettime(i32 1, ptr %v10)
  %v88 = getelementptr { i64, i64 }, ptr %v10, i32 0, i32 0
  %v89 = load i64, ptr %v88, align 8
  %v90 = getelementptr { i64, i64 }, ptr %v10, i32 0, i32 1
  %v91 = load i64, ptr %v90, align 8
  %v92 = mul i64 %v89, 1000000000
  %v93 = add i64 %v92, %v91
  %v94 = getelementptr i64, ptr %v28, i32 1
  store i64 %v93, ptr %v94, align 8
  br label %b25
b25:
  %v95 = add i64 %v24, 1
  br label %b3
b26:
  %v96 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v4, i64 %v7
  %v97 = icmp ult i64 %v7, %v1
  %v98 = sub i64 %v7, %v1
  %v99 = select i1 %v97, i64 %v7, i64 %v98
  %v100 = select i1 %v97, ptr %a1, ptr %a2
  %v101 = xor i1 %v97, true
  %v102 = and i1 %v101, false
  br i1 %v102, label %b27, label %b28
b27:
  br label %b29
b28:
  %v103 = call ptr @PyTuple_GetItem(ptr %v100, i64 %v99)
  br label %b29
b29:
  %v104 = phi ptr [ %a2, %b27 ], [ %v103, %b28 ]
  %v105 = getelementptr { i64, ptr }, ptr %v104, i32 0, i32 1
  %v106 = load ptr, ptr %v105, align 8
  %v107 = ptrtoint ptr %v106 to i64
  %v108 = ptrtoint ptr %v3 to i64
  %v109 = icmp eq i64 %v107, %v108
  br i1 %v109, label %b30, label %b43
b30:
  %v110 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 2
  %v111 = load i64, ptr %v110, align 8
  %v112 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 3
  %v113 = load i64, ptr %v112, align 8
  %v114 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v104, i32 0, i32 6
  %v115 = load ptr, ptr %v114, align 8
  %v116 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 0
  %v117 = load ptr, ptr %v116, align 8
  %v118 = ptrtoint ptr %v115 to i64
  %v119 = ptrtoint ptr %v117 to i64
  %v120 = icmp eq i64 %v118, %v119
  %v121 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v104, i32 0, i32 7
  %v122 = load i32, ptr %v121, align 4
  %v123 = zext i32 %v122 to i64
  %v124 = and i64 %v123, %v113
  %v125 = icmp eq i64 %v124, %v113
  %v126 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v104, i32 0, i32 2
  %v127 = load i32, ptr %v126, align 4
  %v128 = sext i32 %v127 to i64
  %v129 = icmp eq i64 %v128, %v111
  %v130 = and i1 %v120, %v125
  %v131 = and i1 %v130, %v129
  br i1 %v131, label %b31, label %b43
b31:
  %v132 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v104, i32 0, i32 3
  %v133 = load ptr, ptr %v132, align 8
  %v134 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 4
  %v135 = load i64, ptr %v134, align 8
  %v136 = getelementptr i64, ptr %a0, i64 %v135
  %v137 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 2
  %v138 = load i64, ptr %v137, align 8
  br label %b32
b32:
  %v139 = phi i64 [ 0, %b31 ], [ %v179, %b42 ]
  %v140 = icmp eq i64 %v139, %v138
  br i1 %v140, label %b33, label %b41
b33:
  %v141 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v104, i32 0, i32 1
  %v142 = load ptr, ptr %v141, align 8
  %v143 = ptrtoint ptr %v142 to i64
  %v144 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 1
  %v145 = load i64, ptr %v144, align 8
  %v146 = add i64 %v143, %v145
  %v147 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 8
  store i64 %v146, ptr %v147, align 8
  %v148 = select i1 %v97, i64 0, i64 %v7
  br label %b34
b34:
  %v149 = phi i64 [ 0, %b33 ], [ %v173, %b40 ]
  %v150 = icmp eq i64 %v149, %v148
  br i1 %v150, label %b35, label %b39
b35:
  %v151 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 7
  store i64 %v143, ptr %v151, align 8
  %v152 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 6
  %v153 = load i64, ptr %v152, align 8
  %v154 = getelementptr i64, ptr %a0, i64 %v153
  %v155 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v96, i32 0, i32 5
  %v156 = load i64, ptr %v155, align 8
  br label %b36
b36:
  %v157 = phi i64 [ 0, %b35 ], [ %v163, %b38 ]
  %v158 = icmp eq i64 %v157, %v156
  br i1 %v158, label %b37, label %b38
b37:
  %v159 = add i64 %v7, 1
  br label %b1
b38:
  %v160 = getelementptr i64, ptr %v154, i64 %v157
  %v161 = load i64, ptr %v160, align 8
  %v162 = getelementptr i64, ptr %a0, i64 %v161
  store i64 %v143, ptr %v162, align 8
  %v163 = add i64 %v157, 1
  br label %b36
b39:
  %v164 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v4, i64 %v149
  %v165 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 8
  %v166 = load i64, ptr %v165, align 8
  %v167 = icmp ult i64 %v143, %v166
  %v168 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 7
  %v169 = load i64, ptr %v168, align 8
  %v170 = icmp ult i64 %v169, %v146
  %v171 = and i1 %v167, %v170
  %v172 = xor i1 %v171, true
  br i1 %v172, label %b40, label %b43
b40:
  %v173 = add i64 %v149, 1
  br label %b34
b41:
  %v174 = getelementptr i64, ptr %v133, i64 %v139
  %v175 = load i64, ptr %v174, align 8
  %v176 = getelementptr i64, ptr %v136, i64 %v139
  %v177 = load i64, ptr %v176, align 8
  %v178 = icmp eq i64 %v175, %v177
  br i1 %v178, label %b42, label %b43
b42:
  %v179 = add i64 %v139, 1
  br label %b32
b43:
  ret i64 1
}

define internal i64 @waited(ptr %a0) {
b0:
  %v0 = alloca { i64, i64 }, i64 1, align 8
  %v1 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 0
  %v2 = load ptr, ptr %v1, align 8
  %v3 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %v2, i32 0, i32 3
  %v4 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 4
  %v5 = load i64, ptr %v4, align 8
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %b1, label %b5
b1:
  br label %b2
b2:
  %v7 = phi i64 [ 0, %b1 ], [ %v10, %b4 ]
  %v8 = call i32 @sem_wait(ptr %v3)
  %v9 = icmp eq i32 %v8, 0
  br i1 %v9, label %b3, label %b4
b3:
  ret i64 1
b4:
  %v10 = add i64 %v7, 1
  br label %b2
b5:
  %v11 = call i32 @sem_trywait(ptr %v3)
  %v12 = icmp eq i32 %v11, 0
  br i1 %v12, label %b6, label %b7
b6:
  ret i64 1
b7:
  %v13 = call i32 @clock_gettime(i32 0, ptr %v0)
  %v14 = getelementptr { i64, i64 }, ptr %v0, i32 0, i32 1
  %v15 = load i64, ptr %v14, align 8
  %v16 = add i64 %v15, 50000000
  %v17 = icmp uge i64 %v16, 1000000000
  %v18 = getelementptr { i64, i64 }, ptr %v0, i32 0, i32 0
  %v19 = load i64, ptr %v18, align 8
  %v20 = zext i1 %v17 to i64
  %v21 = add i64 %v19, %v20
  %v22 = getelementptr { i64, i64 }, ptr %v0, i32 0, i32 0
  store i64 %v21, ptr %v22, align 8
  %v23 = sub i64 %v16, 1000000000
  %v24 = select i1 %v17, i64 %v23, i64 %v16
  %v25 = getelementptr { i64, i64 }, ptr %v0, i32 0, i32 1
  store i64 %v24, ptr %v25, align 8
  %v26 = call i32 @sem_timedwait(ptr %v3, ptr %v0)
  %v27 = icmp eq i32 %v26, 0
  %v28 = zext i1 %v27 to i64
  ret i64 %v28
}

define internal ptr @taken(ptr %a0) {
b0:
  %v0 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 2
  %v1 = call i32 @pthread_mutex_lock(ptr %v0)
  %v2 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 0
  %v3 = load ptr, ptr %v2, align 8
  %v4 = ptrtoint ptr %v3 to i64
  %v5 = icmp ne i64 %v4, 0
  br i1 %v5, label %b1, label %b4
b1:
  %v6 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %v3, i32 0, i32 0
  %v7 = load ptr, ptr %v6, align 8
  %v8 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 0
  store ptr %v7, ptr %v8, align 8
  %v9 = ptrtoint ptr %v7 to i64
  %v10 = icmp eq i64 %v9, 0
  br i1 %v10, label %b2, label %b3
b2:
  %v11 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 1
  store ptr null, ptr %v11, align 8
  br label %b3
b3:
  br label %b4
b4:
  %v12 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 2
  %v13 = call i32 @pthread_mutex_unlock(ptr %v12)
  ret ptr %v3
}

define i64 @snippets_end(ptr %a0) {
b0:
  %v0 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %a0, i32 0, i32 5
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %a0, i32 0, i32 1
  %v3 = atomicrmw or ptr %v2, i64 1 seq_cst, align 8
  %v4 = ptrtoint ptr %v1 to i64
  %v5 = icmp ne i64 %v4, 0
  br i1 %v5, label %b1, label %b4
b1:
  %v6 = getelementptr { i64, i64, i64, [4 x i64] }, ptr %v1, i32 0, i32 0
  %v7 = atomicrmw add ptr %v6, i64 1 seq_cst, align 8
  %v8 = add i64 %v7, 1
  %v9 = getelementptr { i64, i64, i64, [4 x i64] }, ptr %v1, i32 0, i32 1
  %v10 = load atomic i64, ptr %v9 seq_cst, align 8
  %v11 = icmp eq i64 %v8, %v10
  br i1 %v11, label %b2, label %b3
b2:
  %v12 = getelementptr { i64, i64, i64, [4 x i64] }, ptr %v1, i32 0, i32 3
  %v13 = call i32 @sem_post(ptr %v12)
  br label %b3
b3:
  %v14 = getelementptr { i64, i64, i64, [4 x i64] }, ptr %v1, i32 0, i32 2
  %v15 = atomicrmw add ptr %v14, i64 1 seq_cst, align 8
  br label %b4
b4:
  ret i64 %v3
}

define i64 @snippets_take(ptr %a0) {
b0:
  %v0 = alloca ptr, i64 1, align 8
  %v1 = alloca i64, i64 1, align 8
  %v2 = call ptr @PyEval_SaveThread()
  store ptr %v2, ptr %v0, align 8
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v50, %b15 ]
  store i64 2, ptr %v1, align 8
  %v4 = call i64 @waited(ptr %a0)
  %v5 = icmp eq i64 %v4, 0
  br i1 %v5, label %b14, label %b2
b2:
  %v6 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 0
  %v7 = load ptr, ptr %v6, align 8
  %v8 = call ptr @taken(ptr %v7)
  %v9 = ptrtoint ptr %v8 to i64
  %v10 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 3
  store i64 %v9, ptr %v10, align 8
  store i64 3, ptr %v1, align 8
  %v11 = icmp eq i64 %v9, 0
  br i1 %v11, label %b14, label %b3
b3:
  store i64 0, ptr %v1, align 8
  %v12 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %v8, i32 0, i32 2
  %v13 = load i64, ptr %v12, align 8
  %v14 = icmp eq i64 %v13, 0
  br i1 %v14, label %b14, label %b4
b4:
  %v15 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 2
  %v16 = load i64, ptr %v15, align 8
  %v17 = icmp ne i64 %v13, %v16
  br i1 %v17, label %b5, label %b11
b5:
  %v18 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 5
  %v19 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 6
  br label %b6
b6:
  %v20 = phi i64 [ 0, %b5 ], [ %v29, %b10 ]
  %v21 = icmp eq i64 %v20, 16
  br i1 %v21, label %b7, label %b8
b7:
  br label %b11
b8:
  %v22 = getelementptr i64, ptr %v18, i64 %v20
  %v23 = load i64, ptr %v22, align 8
  %v24 = icmp eq i64 %v23, %v13
  br i1 %v24, label %b9, label %b10
b9:
  %v25 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 2
  store i64 %v13, ptr %v25, align 8
  %v26 = getelementptr ptr, ptr %v19, i64 %v20
  %v27 = load ptr, ptr %v26, align 8
  %v28 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 1
  store ptr %v27, ptr %v28, align 8
  br label %b10
b10:
  %v29 = add i64 %v20, 1
  br label %b6
b11:
  %v30 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 2
  %v31 = load i64, ptr %v30, align 8
  %v32 = icmp ne i64 %v13, %v31
  br i1 %v32, label %b14, label %b12
b12:
  %v33 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 1
  %v34 = load ptr, ptr %v33, align 8
  %v35 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %v8, i32 0, i32 3
  %v36 = load ptr, ptr %v35, align 8
  %v37 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %v8, i32 0, i32 4
  %v38 = load ptr, ptr %v37, align 8
  %v39 = call i64 @run_request(ptr %v34, ptr %v36, ptr %v38, ptr %v0)
  %v40 = icmp ne i64 %v39, 0
  br i1 %v40, label %b14, label %b13
b13:
  %v41 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 4
  %v42 = load i64, ptr %v41, align 8
  %v43 = add i64 %v42, 1
  %v44 = getelementptr { ptr, ptr, i64, i64, i64, [16 x i64], [16 x ptr] }, ptr %a0, i32 0, i32 4
  store i64 %v43, ptr %v44, align 8
  store i64 1, ptr %v1, align 8
  %v45 = call i64 @snippets_end(ptr %v8)
  %v46 = and i64 %v45, 2
  %v47 = icmp ne i64 %v46, 0
  br i1 %v47, label %b14, label %b15
b14:
  %v48 = load ptr, ptr %v0, align 8
  call void @PyEval_RestoreThread(ptr %v48)
  %v49 = load i64, ptr %v1, align 8
  ret i64 %v49
b15:
  %v50 = add i64 %v3, 1
  br label %b1
}

define void @snippets_submit(ptr %a0, ptr %a1) {
b0:
  %v0 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %a1, i32 0, i32 0
  store ptr null, ptr %v0, align 8
  %v1 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 2
  %v2 = call i32 @pthread_mutex_lock(ptr %v1)
  %v3 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 1
  %v4 = load ptr, ptr %v3, align 8
  %v5 = ptrtoint ptr %v4 to i64
  %v6 = icmp eq i64 %v5, 0
  br i1 %v6, label %b1, label %b2
b1:
  %v7 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 0
  store ptr %a1, ptr %v7, align 8
  br label %b3
b2:
  %v8 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %v4, i32 0, i32 0
  store ptr %a1, ptr %v8, align 8
  br label %b3
b3:
  %v9 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 1
  store ptr %a1, ptr %v9, align 8
  %v10 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 2
  %v11 = call i32 @pthread_mutex_unlock(ptr %v10)
  %v12 = getelementptr { ptr, ptr, [8 x i64], [4 x i64] }, ptr %a0, i32 0, i32 3
  %v13 = call i32 @sem_post(ptr %v12)
  ret void
}

define i64 @snippets_want(ptr %a0) {
b0:
  %v0 = getelementptr { ptr, i64, i64, ptr, ptr, ptr }, ptr %a0, i32 0, i32 1
  %v1 = atomicrmw or ptr %v0, i64 2 seq_cst, align 8
  ret i64 %v1
}

define i64 @snippets_aim(ptr %a0, i64 %a1) {
b0:
  %v0 = getelementptr { i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 1
  %v1 = atomicrmw xchg ptr %v0, i64 %a1 seq_cst, align 8
  %v2 = getelementptr { i64, i64, i64, [4 x i64] }, ptr %a0, i32 0, i32 0
  %v3 = load atomic i64, ptr %v2 seq_cst, align 8
  ret i64 %v3
}
