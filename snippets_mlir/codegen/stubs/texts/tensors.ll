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
  br i1 %v7, label %b1, label %b53
b1:
  %v8 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 12
  %v9 = load i64, ptr %v8, align 8
  %v10 = icmp eq i64 %v9, 0
  br i1 %v10, label %b2, label %b52
b2:
  %v11 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 1
  %v12 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 1
  br label %b3
b3:
  %v13 = phi i64 [ 0, %b2 ], [ %v187, %b47 ]
  %v14 = phi ptr [ %v12, %b2 ], [ %v177, %b47 ]
  %v15 = icmp eq i64 %v13, %a2
  br i1 %v15, label %b4, label %b39
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
  %v37 = phi i64 [ 0, %b6 ], [ %v130, %b38 ]
  %v38 = icmp eq i64 %v37, %v36
  br i1 %v38, label %b31, label %b8
b8:
  %v39 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v33, i64 %v37
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
  %v50 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 3
  %v51 = load i64, ptr %v50, align 8
  %v52 = icmp eq i64 %v51, 0
  br i1 %v52, label %b11, label %b23
b11:
  %v53 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 5
  %v54 = load ptr, ptr %v53, align 8
  %v55 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 6
  %v56 = load ptr, ptr %v55, align 8
  %v57 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 1
  %v58 = load i64, ptr %v57, align 8
  %v59 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 2
  %v60 = load i64, ptr %v59, align 8
  %v61 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 4
  %v62 = load i64, ptr %v61, align 8
  %v63 = ptrtoint ptr %v54 to i64
  %v64 = icmp eq i64 %v63, 0
  br i1 %v64, label %b12, label %b13
b12:
  br label %b14
b13:
  %v65 = getelementptr ptr, ptr %v56, i32 0
  %v66 = load ptr, ptr %v65, align 8
  %v67 = getelementptr ptr, ptr %v56, i32 2
  %v68 = load ptr, ptr %v67, align 8
  %v69 = call i64 %v54(ptr %v66, ptr %v68, i64 %v58, i64 %v60, i64 %v62)
  br label %b14
b14:
  %v70 = phi i64 [ 1, %b12 ], [ %v69, %b13 ]
  %v71 = icmp ne i64 %v70, 0
  br i1 %v71, label %b15, label %b22
b15:
  br i1 %v26, label %b16, label %b17
b16:
  %v72 = load ptr, ptr %v17, align 8
  call void @PyEval_RestoreThread(ptr %v72)
  br label %b17
b17:
  %v73 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 0
  %v74 = load ptr, ptr %v73, align 8
  %v75 = call ptr @PyObject_CallNoArgs(ptr %v74)
  %v76 = ptrtoint ptr %v75 to i64
  %v77 = icmp eq i64 %v76, 0
  %v78 = zext i1 %v77 to i64
  store i64 %v78, ptr %v18, align 8
  %v79 = xor i1 %v77, true
  br i1 %v79, label %b18, label %b19
b18:
  call void @Py_DecRef(ptr %v75)
  br label %b19
b19:
  br i1 %v26, label %b20, label %b21
b20:
  %v80 = call ptr @PyEval_SaveThread()
  store ptr %v80, ptr %v17, align 8
  br label %b21
b21:
  br label %b22
b22:
  br label %b30
b23:
  %v81 = icmp ugt i64 %v51, 1
  %v82 = and i1 %v81, %v23
  br i1 %v82, label %b24, label %b25
b24:
  %v83 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 0
  %v84 = load ptr, ptr %v83, align 8
  %v85 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 6
  %v86 = load ptr, ptr %v85, align 8
  %v87 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 7
  %v88 = load ptr, ptr %v87, align 8
  %v89 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 8
  %v90 = load ptr, ptr %v89, align 8
  %v91 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 1
  %v92 = load i64, ptr %v91, align 8
  %v93 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 2
  %v94 = load i64, ptr %v93, align 8
  %v95 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 3
  %v96 = load i64, ptr %v95, align 8
  %v97 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 4
  %v98 = load i64, ptr %v97, align 8
  %v99 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 5
  %v100 = load ptr, ptr %v99, align 8
  %v101 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 4
  %v102 = load ptr, ptr %v101, align 8
  %v103 = trunc i64 %v96 to i32
  call void %v100(ptr %v102, ptr %v84, ptr %v86, ptr %v88, ptr %v90, i64 %v92, i64 %v94, i32 %v103, i64 %v98)
  br label %b29
b25:
  %v104 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 0
  %v105 = load ptr, ptr %v104, align 8
  %v106 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 1
  %v107 = load i64, ptr %v106, align 8
  %v108 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 2
  %v109 = load i64, ptr %v108, align 8
  %v110 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 4
  %v111 = load i64, ptr %v110, align 8
  %v112 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v39, i32 0, i32 6
  %v113 = icmp eq i64 %v111, 0
  br i1 %v113, label %b26, label %b27
b26:
  call void %v105(ptr %v112, i64 0, i64 %v107, i64 0)
  br label %b28
b27:
  call void @snippets_range(ptr %v105, ptr %v112, i64 0, i64 %v107, i64 0, i64 %v109, i64 %v111)
  br label %b28
b28:
  br label %b29
b29:
  br label %b30
b30:
  %v114 = load i64, ptr %v18, align 8
  %v115 = icmp ne i64 %v114, 0
  br i1 %v115, label %b31, label %b36
b31:
  br i1 %v26, label %b32, label %b33
b32:
  %v116 = load ptr, ptr %v17, align 8
  call void @PyEval_RestoreThread(ptr %v116)
  br label %b33
b33:
  %v117 = load i64, ptr %v18, align 8
  %v118 = icmp ne i64 %v117, 0
  %v119 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 12
  store i64 0, ptr %v119, align 8
  br i1 %v118, label %b34, label %b35
b34:
  ret ptr null
b35:
  %v120 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 2
  %v121 = load ptr, ptr %v120, align 8
  call void @Py_IncRef(ptr %v121)
  ret ptr %v121
b36:
  br i1 %v30, label %b37, label %b38
b37:
  %v122 = call i32 @clock_gettime(i32 1, ptr %v19)
  %v123 = getelementptr { i64, i64 }, ptr %v19, i32 0, i32 0
  %v124 = load i64, ptr %v123, align 8
  %v125 = getelementptr { i64, i64 }, ptr %v19, i32 0, i32 1
  %v126 = load i64, ptr %v125, align 8
  %v127 = mul i64 %v124, 1000000000
  %v128 = add i64 %v127, %v126
  %v129 = getelementptr i64, ptr %v41, i32 1
  store i64 %v128, ptr %v129, align 8
  br label %b38
b38:
  %v130 = add i64 %v37, 1
  br label %b7
b39:
  %v131 = getelementptr ptr, ptr %a1, i64 %v13
  %v132 = load ptr, ptr %v131, align 8
  %v133 = getelementptr { i64, ptr }, ptr %v132, i32 0, i32 1
  %v134 = load ptr, ptr %v133, align 8
  %v135 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 2
  %v136 = load ptr, ptr %v135, align 8
  %v137 = ptrtoint ptr %v134 to i64
  %v138 = ptrtoint ptr %v136 to i64
  %v139 = icmp eq i64 %v137, %v138
  %v140 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 3
  %v141 = load ptr, ptr %v140, align 8
  %v142 = ptrtoint ptr %v134 to i64
  %v143 = ptrtoint ptr %v141 to i64
  %v144 = icmp eq i64 %v142, %v143
  %v145 = or i1 %v139, %v144
  br i1 %v145, label %b40, label %b52
b40:
  %v146 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 1
  %v147 = load ptr, ptr %v146, align 8
  %v148 = call i32 %v147(ptr %v132, ptr %v4)
  %v149 = icmp ne i32 %v148, 0
  br i1 %v149, label %b41, label %b42
b41:
  call void @PyErr_Clear()
  br label %b52
b42:
  %v150 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 2
  %v151 = load i64, ptr %v150, align 8
  %v152 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 1
  %v153 = load i64, ptr %v152, align 8
  %v154 = getelementptr i64, ptr %v14, i32 0
  %v155 = load i64, ptr %v154, align 8
  %v156 = icmp eq i64 %v151, %v155
  %v157 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 4
  %v158 = load i64, ptr %v157, align 8
  %v159 = icmp eq i64 %v153, %v158
  %v160 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 0
  %v161 = load ptr, ptr %v160, align 8
  %v162 = ptrtoint ptr %v161 to i64
  %v163 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 5
  %v164 = load i64, ptr %v163, align 8
  %v165 = add i64 %v162, %v164
  %v166 = getelementptr { ptr, ptr, ptr, ptr, i64, i64 }, ptr %v1, i32 0, i32 5
  %v167 = load i64, ptr %v166, align 8
  %v168 = and i64 %v165, %v167
  %v169 = icmp eq i64 %v168, 0
  %v170 = and i1 %v156, %v159
  %v171 = and i1 %v170, %v169
  br i1 %v171, label %b43, label %b52
b43:
  %v172 = and i64 %v151, 4294967295
  %v173 = getelementptr i64, ptr %v14, i32 1
  %v174 = getelementptr i64, ptr %v173, i64 %v172
  br label %b44
b44:
  %v175 = phi i64 [ 0, %b43 ], [ %v206, %b51 ]
  %v176 = icmp eq i64 %v175, %v172
  br i1 %v176, label %b45, label %b49
b45:
  %v177 = getelementptr i64, ptr %v174, i64 %v172
  %v178 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v11, i64 %v13
  %v179 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v178, i32 0, i32 7
  store i64 %v165, ptr %v179, align 8
  %v180 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v178, i32 0, i32 6
  %v181 = load i64, ptr %v180, align 8
  %v182 = getelementptr i64, ptr %v3, i64 %v181
  %v183 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v178, i32 0, i32 5
  %v184 = load i64, ptr %v183, align 8
  br label %b46
b46:
  %v185 = phi i64 [ 0, %b45 ], [ %v191, %b48 ]
  %v186 = icmp eq i64 %v185, %v184
  br i1 %v186, label %b47, label %b48
b47:
  %v187 = add i64 %v13, 1
  br label %b3
b48:
  %v188 = getelementptr i64, ptr %v182, i64 %v185
  %v189 = load i64, ptr %v188, align 8
  %v190 = getelementptr i64, ptr %v3, i64 %v189
  store i64 %v165, ptr %v190, align 8
  %v191 = add i64 %v185, 1
  br label %b46
b49:
  %v192 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 3
  %v193 = load ptr, ptr %v192, align 8
  %v194 = getelementptr i64, ptr %v193, i64 %v175
  %v195 = load i64, ptr %v194, align 8
  %v196 = getelementptr i64, ptr %v173, i64 %v175
  %v197 = load i64, ptr %v196, align 8
  %v198 = icmp eq i64 %v195, %v197
  br i1 %v198, label %b50, label %b52
b50:
  %v199 = getelementptr { ptr, i64, i64, ptr, ptr, i64 }, ptr %v4, i32 0, i32 4
  %v200 = load ptr, ptr %v199, align 8
  %v201 = getelementptr i64, ptr %v200, i64 %v175
  %v202 = load i64, ptr %v201, align 8
  %v203 = getelementptr i64, ptr %v174, i64 %v175
  %v204 = load i64, ptr %v203, align 8
  %v205 = icmp eq i64 %v202, %v204
  br i1 %v205, label %b51, label %b52
b51:
  %v206 = add i64 %v175, 1
  br label %b44
b52:
  %v207 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v3, i32 0, i32 3
  %v208 = load ptr, ptr %v207, align 8
  call void @Py_IncRef(ptr %v208)
  ret ptr %v208
b53:
  %v209 = call i32 @PyErr_BadArgument()
  ret ptr null
}
