declare void @PyErr_Clear()

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

define ptr @snippets_call_tensors(ptr %a0, ptr %a1, i64 %a2) {
b0:
  %v0 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 1
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 0
  %v3 = load ptr, ptr %v2, align 8
  %v4 = alloca { ptr, i64, i64, ptr, ptr, i64 }, i64 1, align 8
  %v5 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 10
  %v6 = load i64, ptr %v5, align 8
  %v7 = icmp eq i64 %a2, %v6
  br i1 %v7, label %b1, label %b48
b1:
  %v8 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 12
  %v9 = load i64, ptr %v8, align 8
  %v10 = icmp eq i64 %v9, 0
  br i1 %v10, label %b2, label %b47
b2:
  %v11 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 1
  %v12 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 1
  br label %b3
b3:
  %v13 = phi i64 [ 0, %b2 ], [ %v168, %b42 ]
  %v14 = phi ptr [ %v12, %b2 ], [ %v158, %b42 ]
  %v15 = icmp eq i64 %v13, %a2
  br i1 %v15, label %b4, label %b34
b4:
  %v16 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 12
  store i64 1, ptr %v16, align 8
  %v17 = alloca ptr, i64 1, align 8
  %v18 = alloca i64, i64 1, align 8
  %v19 = alloca { i64, i64 }, i64 1, align 8
  store i64 0, ptr %v18, align 8
  %v20 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 6
  %v21 = load ptr, ptr %v20, align 8
  %v22 = load i32, ptr %v21, align 4
  %v23 = icmp eq i32 %v22, 0
  %v24 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 8
  %v25 = load i64, ptr %v24, align 8
  %v26 = icmp ne i64 %v25, 0
  %v27 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 7
  %v28 = load ptr, ptr %v27, align 8
  %v29 = ptrtoint ptr %v28 to i64
  %v30 = icmp ne i64 %v29, 0
  %v31 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 13
  %v32 = load i64, ptr %v31, align 8
  %v33 = getelementptr i64, ptr %v3, i64 %v32
  br i1 %v26, label %b5, label %b6
b5:
  %v34 = call ptr @PyEval_SaveThread()
  store ptr %v34, ptr %v17, align 8
  br label %b6
b6:
  %v35 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 11
  %v36 = load i64, ptr %v35, align 8
  br label %b7
b7:
  %v37 = phi i64 [ 0, %b6 ], [ %v111, %b33 ]
  %v38 = icmp eq i64 %v37, %v36
  br i1 %v38, label %b26, label %b8
b8:
  %v39 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v33, i64 %v37
  %v40 = add i64 %v37, %v37
  %v41 = getelementptr i64, ptr %v28, i64 %v40
  br i1 %v30, label %b9, label %b10
b9:
  %v42 = call i32 @clock_gettime(i32 1, ptr %v19)
  %v43 = getelementptr { i64, i64 }, ptr %v19, i32 0, i32 0
  %v44 = load i64, ptr %v43, align 8
  %v45 = getelementptr { i64, i64 }, ptr %v19, i32 0, i32 1
  %v46 = load i64, ptr %v45, align 8
  %v47 = mul i64 %v44, 1000000000
  %v48 = add i64 %v47, %v46
  %v49 = getelementptr i64, ptr %v41, i32 0
  store i64 %v48, ptr %v49, align 8
  br label %b10
b10:
  %v50 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 3
  %v51 = load i64, ptr %v50, align 8
  %v52 = icmp eq i64 %v51, 0
  br i1 %v52, label %b11, label %b18
b11:
  br i1 %v26, label %b12, label %b13
b12:
  %v53 = load ptr, ptr %v17, align 8
  call void @PyEval_RestoreThread(ptr %v53)
  br label %b13
b13:
  %v54 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 0
  %v55 = load ptr, ptr %v54, align 8
  %v56 = call ptr @PyObject_CallNoArgs(ptr %v55)
  %v57 = ptrtoint ptr %v56 to i64
  %v58 = icmp eq i64 %v57, 0
  %v59 = zext i1 %v58 to i64
  store i64 %v59, ptr %v18, align 8
  %v60 = xor i1 %v58, true
  br i1 %v60, label %b14, label %b15
b14:
  call void @Py_DecRef(ptr %v56)
  br label %b15
b15:
  br i1 %v26, label %b16, label %b17
b16:
  %v61 = call ptr @PyEval_SaveThread()
  store ptr %v61, ptr %v17, align 8
  br label %b17
b17:
  br label %b25
b18:
  %v62 = icmp ugt i64 %v51, 1
  %v63 = and i1 %v62, %v23
  br i1 %v63, label %b19, label %b20
b19:
  %v64 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 0
  %v65 = load ptr, ptr %v64, align 8
  %v66 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 5
  %v67 = load ptr, ptr %v66, align 8
  %v68 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 6
  %v69 = load ptr, ptr %v68, align 8
  %v70 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 7
  %v71 = load ptr, ptr %v70, align 8
  %v72 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 1
  %v73 = load i64, ptr %v72, align 8
  %v74 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 2
  %v75 = load i64, ptr %v74, align 8
  %v76 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 3
  %v77 = load i64, ptr %v76, align 8
  %v78 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 4
  %v79 = load i64, ptr %v78, align 8
  %v80 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 5
  %v81 = load ptr, ptr %v80, align 8
  %v82 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 4
  %v83 = load ptr, ptr %v82, align 8
  %v84 = trunc i64 %v77 to i32
  call void %v81(ptr %v83, ptr %v65, ptr %v67, ptr %v69, ptr %v71, i64 %v73, i64 %v75, i32 %v84, i64 %v79)
  br label %b24
b20:
  %v85 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 0
  %v86 = load ptr, ptr %v85, align 8
  %v87 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 1
  %v88 = load i64, ptr %v87, align 8
  %v89 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 2
  %v90 = load i64, ptr %v89, align 8
  %v91 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 4
  %v92 = load i64, ptr %v91, align 8
  %v93 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v39, i32 0, i32 5
  %v94 = icmp eq i64 %v92, 0
  br i1 %v94, label %b21, label %b22
b21:
  call void %v86(ptr %v93, i64 0, i64 %v88, i64 0)
  br label %b23
b22:
  call void @snippets_range(ptr %v86, ptr %v93, i64 0, i64 %v88, i64 0, i64 %v90, i64 %v92)
  br label %b23
b23:
  br label %b24
b24:
  br label %b25
b25:
  %v95 = load i64, ptr %v18, align 8
  %v96 = icmp ne i64 %v95, 0
  br i1 %v96, label %b26, label %b31
b26:
  br i1 %v26, label %b27, label %b28
b27:
  %v97 = load ptr, ptr %v17, align 8
  call void @PyEval_RestoreThread(ptr %v97)
  br label %b28
b28:
  %v98 = load i64, ptr %v18, align 8
  %v99 = icmp ne i64 %v98, 0
  %v100 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 12
  store i64 0, ptr %v100, align 8
  br i1 %v99, label %b29, label %b30
b29:
  ret ptr null
b30:
  %v101 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 2
  %v102 = load ptr, ptr %v101, align 8
  call void @Py_IncRef(ptr %v102)
  ret ptr %v102
b31:
  br i1 %v30, label %b32, label %b33
b32:
  %v103 = call i32 @clock_gettime(i32 1, ptr %v19)
  %v104 = getelementptr { i64, i64 }, ptr %v19, i32 0, i32 0
  %v105 = load i64, ptr %v104, align 8
  %v106 = getelementptr { i64, i64 }, ptr %v19, i32 0, i32 1
  %v107 = load i64, ptr %v106, align 8
  %v108 = mul i64 %v105, 1000000000
  %v109 = add i64 %v108, %v107
  %v110 = getelementptr i64, ptr %v41, i32 1
  store i64 %v109, ptr %v110, align 8
  br label %b33
b33:
  %v111 = add i64 %v37, 1
  br label %b7
b34:
  %v112 = getelementptr ptr, ptr %a1, i64 %v13
  %v113 = load ptr, ptr %v112, align 8
  %v114 = getelementptr { i64, ptr }, ptr %v113, i32 0, i32 1
  %v115 = load ptr, ptr %v114, align 8
  %v116 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 2
  %v117 = load ptr, ptr %v116, align 8
  %v118 = ptrtoint ptr %v115 to i64
  %v119 = ptrtoint ptr %v117 to i64
  %v120 = icmp eq i64 %v118, %v119
  %v121 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 3
  %v122 = load ptr, ptr %v121, align 8
  %v123 = ptrtoint ptr %v115 to i64
  %v124 = ptrtoint ptr %v122 to i64
  %v125 = icmp eq i64 %v123, %v124
  %v126 = or i1 %v120, %v125
  br i1 %v126, label %b35, label %b47
b35:
  %v127 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 1
  %v128 = load ptr, ptr %v127, align 8
  %v129 = call i32 %v128(ptr %v113, ptr %v4)
  %v130 = icmp ne i32 %v129, 0
  br i1 %v130, label %b36, label %b37
b36:
  call void @PyErr_Clear()
  br label %b47
b37:
  %v131 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 2
  %v132 = load i64, ptr %v131, align 8
  %v133 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 1
  %v134 = load i64, ptr %v133, align 8
  %v135 = getelementptr i64, ptr %v14, i32 0
  %v136 = load i64, ptr %v135, align 8
  %v137 = icmp eq i64 %v132, %v136
  %v138 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 4
  %v139 = load i64, ptr %v138, align 8
  %v140 = icmp eq i64 %v134, %v139
  %v141 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 0
  %v142 = load ptr, ptr %v141, align 8
  %v143 = ptrtoint ptr %v142 to i64
  %v144 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 5
  %v145 = load i64, ptr %v144, align 8
  %v146 = add i64 %v143, %v145
  %v147 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 5
  %v148 = load i64, ptr %v147, align 8
  %v149 = and i64 %v146, %v148
  %v150 = icmp eq i64 %v149, 0
  %v151 = and i1 %v137, %v140
  %v152 = and i1 %v151, %v150
  br i1 %v152, label %b38, label %b47
b38:
  %v153 = and i64 %v132, 4294967295
  %v154 = getelementptr i64, ptr %v14, i32 1
  %v155 = getelementptr i64, ptr %v154, i64 %v153
  br label %b39
b39:
  %v156 = phi i64 [ 0, %b38 ], [ %v187, %b46 ]
  %v157 = icmp eq i64 %v156, %v153
  br i1 %v157, label %b40, label %b44
b40:
  %v158 = getelementptr i64, ptr %v155, i64 %v153
  %v159 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v11, i64 %v13
  %v160 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v159, i32 0, i32 7
  store i64 %v146, ptr %v160, align 8
  %v161 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v159, i32 0, i32 6
  %v162 = load i64, ptr %v161, align 8
  %v163 = getelementptr i64, ptr %v3, i64 %v162
  %v164 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v159, i32 0, i32 5
  %v165 = load i64, ptr %v164, align 8
  br label %b41
b41:
  %v166 = phi i64 [ 0, %b40 ], [ %v172, %b43 ]
  %v167 = icmp eq i64 %v166, %v165
  br i1 %v167, label %b42, label %b43
b42:
  %v168 = add i64 %v13, 1
  br label %b3
b43:
  %v169 = getelementptr i64, ptr %v163, i64 %v166
  %v170 = load i64, ptr %v169, align 8
  %v171 = getelementptr i64, ptr %v3, i64 %v170
  store i64 %v146, ptr %v171, align 8
  %v172 = add i64 %v166, 1
  br label %b41
b44:
  %v173 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 3
  %v174 = load ptr, ptr %v173, align 8
  %v175 = getelementptr i64, ptr %v174, i64 %v156
  %v176 = load i64, ptr %v175, align 8
  %v177 = getelementptr i64, ptr %v154, i64 %v156
  %v178 = load i64, ptr %v177, align 8
  %v179 = icmp eq i64 %v176, %v178
  br i1 %v179, label %b45, label %b47
b45:
  %v180 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 4
  %v181 = load ptr, ptr %v180, align 8
  %v182 = getelementptr i64, ptr %v181, i64 %v156
  %v183 = load i64, ptr %v182, align 8
  %v184 = getelementptr i64, ptr %v155, i64 %v156
  %v185 = load i64, ptr %v184, align 8
  %v186 = icmp eq i64 %v183, %v185
  br i1 %v186, label %b46, label %b47
b46:
  %v187 = add i64 %v156, 1
  br label %b39
b47:
  %v188 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 3
  %v189 = load ptr, ptr %v188, align 8
  call void @Py_IncRef(ptr %v189)
  ret ptr %v189
b48:
  %v190 = call i32 @PyErr_BadArgument()
  ret ptr null
}
