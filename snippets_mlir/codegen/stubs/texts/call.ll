declare i64 @PyTuple_Size(ptr)

declare ptr @PyTuple_GetItem(ptr, i64)

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

declare ptr @memcpy(ptr, ptr, i64)

define void @snippets_copy(ptr %a0, i64 %a1, i64 %a2, i64 %a3) {
b0:
  %v0 = getelementptr { ptr, ptr, ptr }, ptr %a0, i32 0, i32 0
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr i64, ptr %v1, i32 0
  %v3 = load i64, ptr %v2, align 8
  %v4 = add i64 %v3, %a1
  %v5 = inttoptr i64 %v4 to ptr
  %v6 = getelementptr i64, ptr %v1, i32 1
  %v7 = load i64, ptr %v6, align 8
  %v8 = add i64 %v7, %a1
  %v9 = inttoptr i64 %v8 to ptr
  %v10 = sub i64 %a2, %a1
  %v11 = call ptr @memcpy(ptr %v9, ptr %v5, i64 %v10)
  ret void
}

define ptr @snippets_call(ptr %a0, ptr %a1, i64 %a2) {
b0:
  %v0 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %a0, i32 0, i32 1
  %v1 = load ptr, ptr %v0, align 8
  %v2 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  %v3 = load i64, ptr %v2, align 8
  %v4 = icmp eq i64 %v3, 0
  br i1 %v4, label %b1, label %b64
b1:
  %v5 = icmp eq i64 %a2, 2
  br i1 %v5, label %b2, label %b63
b2:
  %v6 = getelementptr ptr, ptr %a1, i32 0
  %v7 = load ptr, ptr %v6, align 8
  %v8 = getelementptr ptr, ptr %a1, i32 1
  %v9 = load ptr, ptr %v8, align 8
  %v10 = getelementptr { i64, ptr }, ptr %v7, i32 0, i32 1
  %v11 = load ptr, ptr %v10, align 8
  %v12 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 1
  %v13 = load ptr, ptr %v12, align 8
  %v14 = ptrtoint ptr %v11 to i64
  %v15 = ptrtoint ptr %v13 to i64
  %v16 = icmp eq i64 %v14, %v15
  br i1 %v16, label %b3, label %b63
b3:
  %v17 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 9
  %v18 = load i64, ptr %v17, align 8
  %v19 = call i64 @PyTuple_Size(ptr %v7)
  %v20 = icmp eq i64 %v19, %v18
  br i1 %v20, label %b4, label %b63
b4:
  %v21 = getelementptr { i64, ptr }, ptr %v9, i32 0, i32 1
  %v22 = load ptr, ptr %v21, align 8
  %v23 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 0
  %v24 = load ptr, ptr %v23, align 8
  %v25 = ptrtoint ptr %v22 to i64
  %v26 = ptrtoint ptr %v24 to i64
  %v27 = icmp eq i64 %v25, %v26
  %v28 = getelementptr { i64, ptr }, ptr %v9, i32 0, i32 1
  %v29 = load ptr, ptr %v28, align 8
  %v30 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 1
  %v31 = load ptr, ptr %v30, align 8
  %v32 = ptrtoint ptr %v29 to i64
  %v33 = ptrtoint ptr %v31 to i64
  %v34 = icmp eq i64 %v32, %v33
  %v35 = or i1 %v27, %v34
  br i1 %v35, label %b5, label %b63
b5:
  br i1 %v27, label %b6, label %b7
b6:
  br label %b8
b7:
  %v36 = call i64 @PyTuple_Size(ptr %v9)
  br label %b8
b8:
  %v37 = phi i64 [ 1, %b6 ], [ %v36, %b7 ]
  %v38 = add i64 %v18, %v37
  %v39 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 10
  %v40 = load i64, ptr %v39, align 8
  %v41 = icmp eq i64 %v38, %v40
  br i1 %v41, label %b9, label %b63
b9:
  %v42 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 9
  %v43 = load i64, ptr %v42, align 8
  %v44 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 0
  %v45 = load ptr, ptr %v44, align 8
  %v46 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 1
  %v47 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 10
  %v48 = load i64, ptr %v47, align 8
  br label %b10
b10:
  %v49 = phi i64 [ 0, %b9 ], [ %v227, %b57 ]
  %v50 = icmp eq i64 %v49, %v48
  br i1 %v50, label %b11, label %b46
b11:
  %v51 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  store i64 1, ptr %v51, align 8
  %v52 = alloca ptr, i64 1, align 8
  %v53 = alloca i64, i64 1, align 8
  %v54 = alloca { i64, i64 }, i64 1, align 8
  store i64 0, ptr %v53, align 8
  %v55 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 6
  %v56 = load ptr, ptr %v55, align 8
  %v57 = load i32, ptr %v56, align 4
  %v58 = icmp eq i32 %v57, 0
  %v59 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 8
  %v60 = load i64, ptr %v59, align 8
  %v61 = icmp ne i64 %v60, 0
  %v62 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 7
  %v63 = load ptr, ptr %v62, align 8
  %v64 = ptrtoint ptr %v63 to i64
  %v65 = icmp ne i64 %v64, 0
  %v66 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 13
  %v67 = load i64, ptr %v66, align 8
  %v68 = getelementptr i64, ptr %v1, i64 %v67
  br i1 %v61, label %b12, label %b13
b12:
  %v69 = call ptr @PyEval_SaveThread()
  store ptr %v69, ptr %v52, align 8
  br label %b13
b13:
  %v70 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 11
  %v71 = load i64, ptr %v70, align 8
  br label %b14
b14:
  %v72 = phi i64 [ 0, %b13 ], [ %v163, %b45 ]
  %v73 = icmp eq i64 %v72, %v71
  br i1 %v73, label %b38, label %b15
b15:
  %v74 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v68, i64 %v72
  %v75 = add i64 %v72, %v72
  %v76 = getelementptr i64, ptr %v63, i64 %v75
  br i1 %v65, label %b16, label %b17
b16:
  %v77 = call i32 @clock_gettime(i32 1, ptr %v54)
  %v78 = getelementptr { i64, i64 }, ptr %v54, i32 0, i32 0
  %v79 = load i64, ptr %v78, align 8
  %v80 = getelementptr { i64, i64 }, ptr %v54, i32 0, i32 1
  %v81 = load i64, ptr %v80, align 8
  %v82 = mul i64 %v79, 1000000000
  %v83 = add i64 %v82, %v81
  %v84 = getelementptr i64, ptr %v76, i32 0
  store i64 %v83, ptr %v84, align 8
  br label %b17
b17:
  %v85 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 3
  %v86 = load i64, ptr %v85, align 8
  %v87 = icmp eq i64 %v86, 0
  br i1 %v87, label %b18, label %b30
b18:
  %v88 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 5
  %v89 = load ptr, ptr %v88, align 8
  %v90 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 6
  %v91 = load ptr, ptr %v90, align 8
  %v92 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 1
  %v93 = load i64, ptr %v92, align 8
  %v94 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 2
  %v95 = load i64, ptr %v94, align 8
  %v96 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 4
  %v97 = load i64, ptr %v96, align 8
  %v98 = ptrtoint ptr %v89 to i64
  %v99 = icmp eq i64 %v98, 0
  br i1 %v99, label %b19, label %b20
b19:
  br label %b21
b20:
  %v100 = getelementptr ptr, ptr %v91, i32 0
  %v101 = load ptr, ptr %v100, align 8
  %v102 = getelementptr ptr, ptr %v91, i32 2
  %v103 = load ptr, ptr %v102, align 8
  %v104 = call i64 %v89(ptr %v101, ptr %v103, i64 %v93, i64 %v95, i64 %v97)
  br label %b21
b21:
  %v105 = phi i64 [ 1, %b19 ], [ %v104, %b20 ]
  %v106 = icmp ne i64 %v105, 0
  br i1 %v106, label %b22, label %b29
b22:
  br i1 %v61, label %b23, label %b24
b23:
  %v107 = load ptr, ptr %v52, align 8
  call void @PyEval_RestoreThread(ptr %v107)
  br label %b24
b24:
  %v108 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 0
  %v109 = load ptr, ptr %v108, align 8
  %v110 = call ptr @PyObject_CallNoArgs(ptr %v109)
  %v111 = ptrtoint ptr %v110 to i64
  %v112 = icmp eq i64 %v111, 0
  %v113 = zext i1 %v112 to i64
  store i64 %v113, ptr %v53, align 8
  %v114 = xor i1 %v112, true
  br i1 %v114, label %b25, label %b26
b25:
  call void @Py_DecRef(ptr %v110)
  br label %b26
b26:
  br i1 %v61, label %b27, label %b28
b27:
  %v115 = call ptr @PyEval_SaveThread()
  store ptr %v115, ptr %v52, align 8
  br label %b28
b28:
  br label %b29
b29:
  br label %b37
b30:
  %v116 = icmp ugt i64 %v86, 1
  %v117 = and i1 %v116, %v58
  br i1 %v117, label %b31, label %b32
b31:
  %v118 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 0
  %v119 = load ptr, ptr %v118, align 8
  %v120 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 6
  %v121 = load ptr, ptr %v120, align 8
  %v122 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 7
  %v123 = load ptr, ptr %v122, align 8
  %v124 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 8
  %v125 = load ptr, ptr %v124, align 8
  %v126 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 1
  %v127 = load i64, ptr %v126, align 8
  %v128 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 2
  %v129 = load i64, ptr %v128, align 8
  %v130 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 3
  %v131 = load i64, ptr %v130, align 8
  %v132 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 4
  %v133 = load i64, ptr %v132, align 8
  %v134 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 5
  %v135 = load ptr, ptr %v134, align 8
  %v136 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 4
  %v137 = load ptr, ptr %v136, align 8
  %v138 = trunc i64 %v131 to i32
  call void %v135(ptr %v137, ptr %v119, ptr %v121, ptr %v123, ptr %v125, i64 %v127, i64 %v129, i32 %v138, i64 %v133)
  br label %b36
b32:
  %v139 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 0
  %v140 = load ptr, ptr %v139, align 8
  %v141 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 1
  %v142 = load i64, ptr %v141, align 8
  %v143 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 2
  %v144 = load i64, ptr %v143, align 8
  %v145 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 4
  %v146 = load i64, ptr %v145, align 8
  %v147 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr, ptr }, ptr %v74, i32 0, i32 6
  %v148 = icmp eq i64 %v146, 0
  br i1 %v148, label %b33, label %b34
b33:
  call void %v140(ptr %v147, i64 0, i64 %v142, i64 0)
  br label %b35
b34:
  call void @snippets_range(ptr %v140, ptr %v147, i64 0, i64 %v142, i64 0, i64 %v144, i64 %v146)
  br label %b35
b35:
  br label %b36
b36:
  br label %b37
b37:
  %v149 = load i64, ptr %v53, align 8
  %v150 = icmp ne i64 %v149, 0
  br i1 %v150, label %b38, label %b43
b38:
  br i1 %v61, label %b39, label %b40
b39:
  %v151 = load ptr, ptr %v52, align 8
  call void @PyEval_RestoreThread(ptr %v151)
  br label %b40
b40:
  %v152 = load i64, ptr %v53, align 8
  %v153 = icmp ne i64 %v152, 0
  %v154 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  store i64 0, ptr %v154, align 8
  br i1 %v153, label %b41, label %b42
b41:
  ret ptr null
b42:
  call void @Py_IncRef(ptr %v9)
  ret ptr %v9
b43:
  br i1 %v65, label %b44, label %b45
b44:
  %v155 = call i32 @clock_gettime(i32 1, ptr %v54)
  %v156 = getelementptr { i64, i64 }, ptr %v54, i32 0, i32 0
  %v157 = load i64, ptr %v156, align 8
  %v158 = getelementptr { i64, i64 }, ptr %v54, i32 0, i32 1
  %v159 = load i64, ptr %v158, align 8
  %v160 = mul i64 %v157, 1000000000
  %v161 = add i64 %v160, %v159
  %v162 = getelementptr i64, ptr %v76, i32 1
  store i64 %v161, ptr %v162, align 8
  br label %b45
b45:
  %v163 = add i64 %v72, 1
  br label %b14
b46:
  %v164 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v46, i64 %v49
  %v165 = icmp ult i64 %v49, %v43
  %v166 = sub i64 %v49, %v43
  %v167 = select i1 %v165, i64 %v49, i64 %v166
  %v168 = select i1 %v165, ptr %v7, ptr %v9
  %v169 = xor i1 %v165, true
  %v170 = and i1 %v169, %v27
  br i1 %v170, label %b47, label %b48
b47:
  br label %b49
b48:
  %v171 = call ptr @PyTuple_GetItem(ptr %v168, i64 %v167)
  br label %b49
b49:
  %v172 = phi ptr [ %v9, %b47 ], [ %v171, %b48 ]
  %v173 = getelementptr { i64, ptr }, ptr %v172, i32 0, i32 1
  %v174 = load ptr, ptr %v173, align 8
  %v175 = ptrtoint ptr %v174 to i64
  %v176 = ptrtoint ptr %v45 to i64
  %v177 = icmp eq i64 %v175, %v176
  br i1 %v177, label %b50, label %b63
b50:
  %v178 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 2
  %v179 = load i64, ptr %v178, align 8
  %v180 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 3
  %v181 = load i64, ptr %v180, align 8
  %v182 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v172, i32 0, i32 6
  %v183 = load ptr, ptr %v182, align 8
  %v184 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 0
  %v185 = load ptr, ptr %v184, align 8
  %v186 = ptrtoint ptr %v183 to i64
  %v187 = ptrtoint ptr %v185 to i64
  %v188 = icmp eq i64 %v186, %v187
  %v189 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v172, i32 0, i32 7
  %v190 = load i32, ptr %v189, align 4
  %v191 = zext i32 %v190 to i64
  %v192 = and i64 %v191, %v181
  %v193 = icmp eq i64 %v192, %v181
  %v194 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v172, i32 0, i32 2
  %v195 = load i32, ptr %v194, align 4
  %v196 = sext i32 %v195 to i64
  %v197 = icmp eq i64 %v196, %v179
  %v198 = and i1 %v188, %v193
  %v199 = and i1 %v198, %v197
  br i1 %v199, label %b51, label %b63
b51:
  %v200 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v172, i32 0, i32 3
  %v201 = load ptr, ptr %v200, align 8
  %v202 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 4
  %v203 = load i64, ptr %v202, align 8
  %v204 = getelementptr i64, ptr %v1, i64 %v203
  %v205 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 2
  %v206 = load i64, ptr %v205, align 8
  br label %b52
b52:
  %v207 = phi i64 [ 0, %b51 ], [ %v247, %b62 ]
  %v208 = icmp eq i64 %v207, %v206
  br i1 %v208, label %b53, label %b61
b53:
  %v209 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v172, i32 0, i32 1
  %v210 = load ptr, ptr %v209, align 8
  %v211 = ptrtoint ptr %v210 to i64
  %v212 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 1
  %v213 = load i64, ptr %v212, align 8
  %v214 = add i64 %v211, %v213
  %v215 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 8
  store i64 %v214, ptr %v215, align 8
  %v216 = select i1 %v165, i64 0, i64 %v49
  br label %b54
b54:
  %v217 = phi i64 [ 0, %b53 ], [ %v241, %b60 ]
  %v218 = icmp eq i64 %v217, %v216
  br i1 %v218, label %b55, label %b59
b55:
  %v219 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 7
  store i64 %v211, ptr %v219, align 8
  %v220 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 6
  %v221 = load i64, ptr %v220, align 8
  %v222 = getelementptr i64, ptr %v1, i64 %v221
  %v223 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v164, i32 0, i32 5
  %v224 = load i64, ptr %v223, align 8
  br label %b56
b56:
  %v225 = phi i64 [ 0, %b55 ], [ %v231, %b58 ]
  %v226 = icmp eq i64 %v225, %v224
  br i1 %v226, label %b57, label %b58
b57:
  %v227 = add i64 %v49, 1
  br label %b10
b58:
  %v228 = getelementptr i64, ptr %v222, i64 %v225
  %v229 = load i64, ptr %v228, align 8
  %v230 = getelementptr i64, ptr %v1, i64 %v229
  store i64 %v211, ptr %v230, align 8
  %v231 = add i64 %v225, 1
  br label %b56
b59:
  %v232 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v46, i64 %v217
  %v233 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v232, i32 0, i32 8
  %v234 = load i64, ptr %v233, align 8
  %v235 = icmp ult i64 %v211, %v234
  %v236 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v232, i32 0, i32 7
  %v237 = load i64, ptr %v236, align 8
  %v238 = icmp ult i64 %v237, %v214
  %v239 = and i1 %v235, %v238
  %v240 = xor i1 %v239, true
  br i1 %v240, label %b60, label %b63
b60:
  %v241 = add i64 %v217, 1
  br label %b54
b61:
  %v242 = getelementptr i64, ptr %v201, i64 %v207
  %v243 = load i64, ptr %v242, align 8
  %v244 = getelementptr i64, ptr %v204, i64 %v207
  %v245 = load i64, ptr %v244, align 8
  %v246 = icmp eq i64 %v243, %v245
  br i1 %v246, label %b62, label %b63
b62:
  %v247 = add i64 %v207, 1
  br label %b52
b63:
  %v248 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 2
  %v249 = load ptr, ptr %v248, align 8
  call void @Py_IncRef(ptr %v249)
  ret ptr %v249
b64:
  %v250 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 3
  %v251 = load ptr, ptr %v250, align 8
  call void @Py_IncRef(ptr %v251)
  ret ptr %v251
}
