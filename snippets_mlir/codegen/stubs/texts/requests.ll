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
  %v7 = phi i64 [ 0, %b0 ], [ %v178, %b42 ]
  %v8 = icmp eq i64 %v7, %v6
  br i1 %v8, label %b2, label %b31
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
  %v24 = phi i64 [ 0, %b2 ], [ %v114, %b30 ]
  %v25 = icmp eq i64 %v24, %v23
  br i1 %v25, label %b27, label %b4
b4:
  %v26 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v21, i64 %v24
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
  %v37 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 3
  %v38 = load i64, ptr %v37, align 8
  %v39 = icmp eq i64 %v38, 0
  br i1 %v39, label %b7, label %b19
b7:
  %v40 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 5
  %v41 = load ptr, ptr %v40, align 8
  %v42 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 6
  %v43 = load ptr, ptr %v42, align 8
  %v44 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 1
  %v45 = load i64, ptr %v44, align 8
  %v46 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 2
  %v47 = load i64, ptr %v46, align 8
  %v48 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 4
  %v49 = load i64, ptr %v48, align 8
  %v50 = ptrtoint ptr %v41 to i64
  %v51 = icmp eq i64 %v50, 0
  br i1 %v51, label %b8, label %b9
b8:
  br label %b10
b9:
  %v52 = getelementptr ptr, ptr %v43, i32 0
  %v53 = load ptr, ptr %v52, align 8
  %v54 = getelementptr ptr, ptr %v43, i32 2
  %v55 = load ptr, ptr %v54, align 8
  %v56 = call i64 %v41(ptr %v53, ptr %v55, i64 %v45, i64 %v47, i64 %v49)
  br label %b10
b10:
  %v57 = phi i64 [ 1, %b8 ], [ %v56, %b9 ]
  %v58 = icmp ne i64 %v57, 0
  br i1 %v58, label %b11, label %b18
b11:
  br i1 true, label %b12, label %b13
b12:
  %v59 = load ptr, ptr %a3, align 8
  call void @PyEval_RestoreThread(ptr %v59)
  br label %b13
b13:
  %v60 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 0
  %v61 = load ptr, ptr %v60, align 8
  %v62 = call ptr @PyObject_CallNoArgs(ptr %v61)
  %v63 = ptrtoint ptr %v62 to i64
  %v64 = icmp eq i64 %v63, 0
  %v65 = zext i1 %v64 to i64
  store i64 %v65, ptr %v9, align 8
  %v66 = xor i1 %v64, true
  br i1 %v66, label %b14, label %b15
b14:
  call void @Py_DecRef(ptr %v62)
  br label %b15
b15:
  br i1 true, label %b16, label %b17
b16:
  %v67 = call ptr @PyEval_SaveThread()
  store ptr %v67, ptr %a3, align 8
  br label %b17
b17:
  br label %b18
b18:
  br label %b26
b19:
  %v68 = icmp ugt i64 %v38, 1
  %v69 = and i1 %v68, %v14
  br i1 %v69, label %b20, label %b21
b20:
  %v70 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 0
  %v71 = load ptr, ptr %v70, align 8
  %v72 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 6
  %v73 = load ptr, ptr %v72, align 8
  %v74 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 7
  %v75 = load ptr, ptr %v74, align 8
  %v76 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 8
  %v77 = load ptr, ptr %v76, align 8
  %v78 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 1
  %v79 = load i64, ptr %v78, align 8
  %v80 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 2
  %v81 = load i64, ptr %v80, align 8
  %v82 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 3
  %v83 = load i64, ptr %v82, align 8
  %v84 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 4
  %v85 = load i64, ptr %v84, align 8
  %v86 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 5
  %v87 = load ptr, ptr %v86, align 8
  %v88 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %a0, i32 0, i32 4
  %v89 = load ptr, ptr %v88, align 8
  %v90 = trunc i64 %v83 to i32
  call void %v87(ptr %v89, ptr %v71, ptr %v73, ptr %v75, ptr %v77, i64 %v79, i64 %v81, i32 %v90, i64 %v85)
  br label %b25
b21:
  %v91 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 0
  %v92 = load ptr, ptr %v91, align 8
  %v93 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 1
  %v94 = load i64, ptr %v93, align 8
  %v95 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 2
  %v96 = load i64, ptr %v95, align 8
  %v97 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 4
  %v98 = load i64, ptr %v97, align 8
  %v99 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v26, i32 0, i32 6
  %v100 = icmp eq i64 %v98, 0
  br i1 %v100, label %b22, label %b23
b22:
  call void %v92(ptr %v99, i64 0, i64 %v94, i64 0)
  br label %b24
b23:
  call void @snippets_range(ptr %v92, ptr %v99, i64 0, i64 %v94, i64 0, i64 %v96, i64 %v98)
  br label %b24
b24:
  br label %b25
b25:
  br label %b26
b26:
  %v101 = load i64, ptr %v9, align 8
  %v102 = icmp ne i64 %v101, 0
  br i1 %v102, label %b27, label %b28
b27:
  %v103 = load i64, ptr %v9, align 8
  %v104 = icmp ne i64 %v103, 0
  %v105 = zext i1 %v104 to i64
  ret i64 %v105
b28:
  br i1 %v18, label %b29, label %b30
b29:
  %v106 = call i32 @clock_gettime(i32 1, ptr %v10)
  %v107 = getelementptr { i64, i64 }, ptr %v10, i32 0, i32 0
  %v108 = load i64, ptr %v107, align 8
  %v109 = getelementptr { i64, i64 }, ptr %v10, i32 0, i32 1
  %v110 = load i64, ptr %v109, align 8
  %v111 = mul i64 %v108, 1000000000
  %v112 = add i64 %v111, %v110
  %v113 = getelementptr i64, ptr %v28, i32 1
  store i64 %v112, ptr %v113, align 8
  br label %b30
b30:
  %v114 = add i64 %v24, 1
  br label %b3
b31:
  %v115 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v4, i64 %v7
  %v116 = icmp ult i64 %v7, %v1
  %v117 = sub i64 %v7, %v1
  %v118 = select i1 %v116, i64 %v7, i64 %v117
  %v119 = select i1 %v116, ptr %a1, ptr %a2
  %v120 = xor i1 %v116, true
  %v121 = and i1 %v120, false
  br i1 %v121, label %b32, label %b33
b32:
  br label %b34
b33:
  %v122 = call ptr @PyTuple_GetItem(ptr %v119, i64 %v118)
  br label %b34
b34:
  %v123 = phi ptr [ %a2, %b32 ], [ %v122, %b33 ]
  %v124 = getelementptr { i64, ptr }, ptr %v123, i32 0, i32 1
  %v125 = load ptr, ptr %v124, align 8
  %v126 = ptrtoint ptr %v125 to i64
  %v127 = ptrtoint ptr %v3 to i64
  %v128 = icmp eq i64 %v126, %v127
  br i1 %v128, label %b35, label %b48
b35:
  %v129 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 2
  %v130 = load i64, ptr %v129, align 8
  %v131 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 3
  %v132 = load i64, ptr %v131, align 8
  %v133 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v123, i32 0, i32 6
  %v134 = load ptr, ptr %v133, align 8
  %v135 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 0
  %v136 = load ptr, ptr %v135, align 8
  %v137 = ptrtoint ptr %v134 to i64
  %v138 = ptrtoint ptr %v136 to i64
  %v139 = icmp eq i64 %v137, %v138
  %v140 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v123, i32 0, i32 7
  %v141 = load i32, ptr %v140, align 4
  %v142 = zext i32 %v141 to i64
  %v143 = and i64 %v142, %v132
  %v144 = icmp eq i64 %v143, %v132
  %v145 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v123, i32 0, i32 2
  %v146 = load i32, ptr %v145, align 4
  %v147 = sext i32 %v146 to i64
  %v148 = icmp eq i64 %v147, %v130
  %v149 = and i1 %v139, %v144
  %v150 = and i1 %v149, %v148
  br i1 %v150, label %b36, label %b48
b36:
  %v151 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v123, i32 0, i32 3
  %v152 = load ptr, ptr %v151, align 8
  %v153 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 4
  %v154 = load i64, ptr %v153, align 8
  %v155 = getelementptr i64, ptr %a0, i64 %v154
  %v156 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 2
  %v157 = load i64, ptr %v156, align 8
  br label %b37
b37:
  %v158 = phi i64 [ 0, %b36 ], [ %v198, %b47 ]
  %v159 = icmp eq i64 %v158, %v157
  br i1 %v159, label %b38, label %b46
b38:
  %v160 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v123, i32 0, i32 1
  %v161 = load ptr, ptr %v160, align 8
  %v162 = ptrtoint ptr %v161 to i64
  %v163 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 1
  %v164 = load i64, ptr %v163, align 8
  %v165 = add i64 %v162, %v164
  %v166 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 8
  store i64 %v165, ptr %v166, align 8
  %v167 = select i1 %v116, i64 0, i64 %v7
  br label %b39
b39:
  %v168 = phi i64 [ 0, %b38 ], [ %v192, %b45 ]
  %v169 = icmp eq i64 %v168, %v167
  br i1 %v169, label %b40, label %b44
b40:
  %v170 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 7
  store i64 %v162, ptr %v170, align 8
  %v171 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 6
  %v172 = load i64, ptr %v171, align 8
  %v173 = getelementptr i64, ptr %a0, i64 %v172
  %v174 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v115, i32 0, i32 5
  %v175 = load i64, ptr %v174, align 8
  br label %b41
b41:
  %v176 = phi i64 [ 0, %b40 ], [ %v182, %b43 ]
  %v177 = icmp eq i64 %v176, %v175
  br i1 %v177, label %b42, label %b43
b42:
  %v178 = add i64 %v7, 1
  br label %b1
b43:
  %v179 = getelementptr i64, ptr %v173, i64 %v176
  %v180 = load i64, ptr %v179, align 8
  %v181 = getelementptr i64, ptr %a0, i64 %v180
  store i64 %v162, ptr %v181, align 8
  %v182 = add i64 %v176, 1
  br label %b41
b44:
  %v183 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v4, i64 %v168
  %v184 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v183, i32 0, i32 8
  %v185 = load i64, ptr %v184, align 8
  %v186 = icmp ult i64 %v162, %v185
  %v187 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v183, i32 0, i32 7
  %v188 = load i64, ptr %v187, align 8
  %v189 = icmp ult i64 %v188, %v165
  %v190 = and i1 %v186, %v189
  %v191 = xor i1 %v190, true
  br i1 %v191, label %b45, label %b48
b45:
  %v192 = add i64 %v168, 1
  br label %b39
b46:
  %v193 = getelementptr i64, ptr %v152, i64 %v158
  %v194 = load i64, ptr %v193, align 8
  %v195 = getelementptr i64, ptr %v155, i64 %v158
  %v196 = load i64, ptr %v195, align 8
  %v197 = icmp eq i64 %v194, %v196
  br i1 %v197, label %b47, label %b48
b47:
  %v198 = add i64 %v158, 1
  br label %b37
b48:
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
