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
  br i1 %v4, label %b1, label %b59
b1:
  %v5 = icmp eq i64 %a2, 2
  br i1 %v5, label %b2, label %b58
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
  br i1 %v16, label %b3, label %b58
b3:
  %v17 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 9
  %v18 = load i64, ptr %v17, align 8
  %v19 = call i64 @PyTuple_Size(ptr %v7)
  %v20 = icmp eq i64 %v19, %v18
  br i1 %v20, label %b4, label %b58
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
  br i1 %v35, label %b5, label %b58
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
  br i1 %v41, label %b9, label %b58
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
  %v49 = phi i64 [ 0, %b9 ], [ %v208, %b52 ]
  %v50 = icmp eq i64 %v49, %v48
  br i1 %v50, label %b11, label %b41
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
  %v72 = phi i64 [ 0, %b13 ], [ %v144, %b40 ]
  %v73 = icmp eq i64 %v72, %v71
  br i1 %v73, label %b33, label %b15
b15:
  %v74 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v68, i64 %v72
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
  %v85 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 3
  %v86 = load i64, ptr %v85, align 8
  %v87 = icmp eq i64 %v86, 0
  br i1 %v87, label %b18, label %b25
b18:
  br i1 %v61, label %b19, label %b20
b19:
  %v88 = load ptr, ptr %v52, align 8
  call void @PyEval_RestoreThread(ptr %v88)
  br label %b20
b20:
  %v89 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 0
  %v90 = load ptr, ptr %v89, align 8
  %v91 = call ptr @PyObject_CallNoArgs(ptr %v90)
  %v92 = ptrtoint ptr %v91 to i64
  %v93 = icmp eq i64 %v92, 0
  %v94 = zext i1 %v93 to i64
  store i64 %v94, ptr %v53, align 8
  %v95 = xor i1 %v93, true
  br i1 %v95, label %b21, label %b22
b21:
  call void @Py_DecRef(ptr %v91)
  br label %b22
b22:
  br i1 %v61, label %b23, label %b24
b23:
  %v96 = call ptr @PyEval_SaveThread()
  store ptr %v96, ptr %v52, align 8
  br label %b24
b24:
  br label %b32
b25:
  %v97 = icmp ugt i64 %v86, 1
  %v98 = and i1 %v97, %v58
  br i1 %v98, label %b26, label %b27
b26:
  %v99 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 0
  %v100 = load ptr, ptr %v99, align 8
  %v101 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 5
  %v102 = load ptr, ptr %v101, align 8
  %v103 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 6
  %v104 = load ptr, ptr %v103, align 8
  %v105 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 7
  %v106 = load ptr, ptr %v105, align 8
  %v107 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 1
  %v108 = load i64, ptr %v107, align 8
  %v109 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 2
  %v110 = load i64, ptr %v109, align 8
  %v111 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 3
  %v112 = load i64, ptr %v111, align 8
  %v113 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 4
  %v114 = load i64, ptr %v113, align 8
  %v115 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 5
  %v116 = load ptr, ptr %v115, align 8
  %v117 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 4
  %v118 = load ptr, ptr %v117, align 8
  %v119 = trunc i64 %v112 to i32
  call void %v116(ptr %v118, ptr %v100, ptr %v102, ptr %v104, ptr %v106, i64 %v108, i64 %v110, i32 %v119, i64 %v114)
  br label %b31
b27:
  %v120 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 0
  %v121 = load ptr, ptr %v120, align 8
  %v122 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 1
  %v123 = load i64, ptr %v122, align 8
  %v124 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 2
  %v125 = load i64, ptr %v124, align 8
  %v126 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 4
  %v127 = load i64, ptr %v126, align 8
  %v128 = getelementptr { ptr, i64, i64, i64, i64, ptr, ptr, ptr }, ptr %v74, i32 0, i32 5
  %v129 = icmp eq i64 %v127, 0
  br i1 %v129, label %b28, label %b29
b28:
  call void %v121(ptr %v128, i64 0, i64 %v123, i64 0)
  br label %b30
b29:
  call void @snippets_range(ptr %v121, ptr %v128, i64 0, i64 %v123, i64 0, i64 %v125, i64 %v127)
  br label %b30
b30:
  br label %b31
b31:
  br label %b32
b32:
  %v130 = load i64, ptr %v53, align 8
  %v131 = icmp ne i64 %v130, 0
  br i1 %v131, label %b33, label %b38
b33:
  br i1 %v61, label %b34, label %b35
b34:
  %v132 = load ptr, ptr %v52, align 8
  call void @PyEval_RestoreThread(ptr %v132)
  br label %b35
b35:
  %v133 = load i64, ptr %v53, align 8
  %v134 = icmp ne i64 %v133, 0
  %v135 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 12
  store i64 0, ptr %v135, align 8
  br i1 %v134, label %b36, label %b37
b36:
  ret ptr null
b37:
  call void @Py_IncRef(ptr %v9)
  ret ptr %v9
b38:
  br i1 %v65, label %b39, label %b40
b39:
  %v136 = call i32 @clock_gettime(i32 1, ptr %v54)
  %v137 = getelementptr { i64, i64 }, ptr %v54, i32 0, i32 0
  %v138 = load i64, ptr %v137, align 8
  %v139 = getelementptr { i64, i64 }, ptr %v54, i32 0, i32 1
  %v140 = load i64, ptr %v139, align 8
  %v141 = mul i64 %v138, 1000000000
  %v142 = add i64 %v141, %v140
  %v143 = getelementptr i64, ptr %v76, i32 1
  store i64 %v142, ptr %v143, align 8
  br label %b40
b40:
  %v144 = add i64 %v72, 1
  br label %b14
b41:
  %v145 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v46, i64 %v49
  %v146 = icmp ult i64 %v49, %v43
  %v147 = sub i64 %v49, %v43
  %v148 = select i1 %v146, i64 %v49, i64 %v147
  %v149 = select i1 %v146, ptr %v7, ptr %v9
  %v150 = xor i1 %v146, true
  %v151 = and i1 %v150, %v27
  br i1 %v151, label %b42, label %b43
b42:
  br label %b44
b43:
  %v152 = call ptr @PyTuple_GetItem(ptr %v149, i64 %v148)
  br label %b44
b44:
  %v153 = phi ptr [ %v9, %b42 ], [ %v152, %b43 ]
  %v154 = getelementptr { i64, ptr }, ptr %v153, i32 0, i32 1
  %v155 = load ptr, ptr %v154, align 8
  %v156 = ptrtoint ptr %v155 to i64
  %v157 = ptrtoint ptr %v45 to i64
  %v158 = icmp eq i64 %v156, %v157
  br i1 %v158, label %b45, label %b58
b45:
  %v159 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 2
  %v160 = load i64, ptr %v159, align 8
  %v161 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 3
  %v162 = load i64, ptr %v161, align 8
  %v163 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v153, i32 0, i32 6
  %v164 = load ptr, ptr %v163, align 8
  %v165 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 0
  %v166 = load ptr, ptr %v165, align 8
  %v167 = ptrtoint ptr %v164 to i64
  %v168 = ptrtoint ptr %v166 to i64
  %v169 = icmp eq i64 %v167, %v168
  %v170 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v153, i32 0, i32 7
  %v171 = load i32, ptr %v170, align 4
  %v172 = zext i32 %v171 to i64
  %v173 = and i64 %v172, %v162
  %v174 = icmp eq i64 %v173, %v162
  %v175 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v153, i32 0, i32 2
  %v176 = load i32, ptr %v175, align 4
  %v177 = sext i32 %v176 to i64
  %v178 = icmp eq i64 %v177, %v160
  %v179 = and i1 %v169, %v174
  %v180 = and i1 %v179, %v178
  br i1 %v180, label %b46, label %b58
b46:
  %v181 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v153, i32 0, i32 3
  %v182 = load ptr, ptr %v181, align 8
  %v183 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 4
  %v184 = load i64, ptr %v183, align 8
  %v185 = getelementptr i64, ptr %v1, i64 %v184
  %v186 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 2
  %v187 = load i64, ptr %v186, align 8
  br label %b47
b47:
  %v188 = phi i64 [ 0, %b46 ], [ %v228, %b57 ]
  %v189 = icmp eq i64 %v188, %v187
  br i1 %v189, label %b48, label %b56
b48:
  %v190 = getelementptr { { i64, ptr }, ptr, i32, ptr, ptr, ptr, ptr, i32 }, ptr %v153, i32 0, i32 1
  %v191 = load ptr, ptr %v190, align 8
  %v192 = ptrtoint ptr %v191 to i64
  %v193 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 1
  %v194 = load i64, ptr %v193, align 8
  %v195 = add i64 %v192, %v194
  %v196 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 8
  store i64 %v195, ptr %v196, align 8
  %v197 = select i1 %v146, i64 0, i64 %v49
  br label %b49
b49:
  %v198 = phi i64 [ 0, %b48 ], [ %v222, %b55 ]
  %v199 = icmp eq i64 %v198, %v197
  br i1 %v199, label %b50, label %b54
b50:
  %v200 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 7
  store i64 %v192, ptr %v200, align 8
  %v201 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 6
  %v202 = load i64, ptr %v201, align 8
  %v203 = getelementptr i64, ptr %v1, i64 %v202
  %v204 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v145, i32 0, i32 5
  %v205 = load i64, ptr %v204, align 8
  br label %b51
b51:
  %v206 = phi i64 [ 0, %b50 ], [ %v212, %b53 ]
  %v207 = icmp eq i64 %v206, %v205
  br i1 %v207, label %b52, label %b53
b52:
  %v208 = add i64 %v49, 1
  br label %b10
b53:
  %v209 = getelementptr i64, ptr %v203, i64 %v206
  %v210 = load i64, ptr %v209, align 8
  %v211 = getelementptr i64, ptr %v1, i64 %v210
  store i64 %v192, ptr %v211, align 8
  %v212 = add i64 %v206, 1
  br label %b51
b54:
  %v213 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v46, i64 %v198
  %v214 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v213, i32 0, i32 8
  %v215 = load i64, ptr %v214, align 8
  %v216 = icmp ult i64 %v192, %v215
  %v217 = getelementptr { ptr, i64, i64, i64, i64, i64, i64, i64, i64 }, ptr %v213, i32 0, i32 7
  %v218 = load i64, ptr %v217, align 8
  %v219 = icmp ult i64 %v218, %v195
  %v220 = and i1 %v216, %v219
  %v221 = xor i1 %v220, true
  br i1 %v221, label %b55, label %b58
b55:
  %v222 = add i64 %v198, 1
  br label %b49
b56:
  %v223 = getelementptr i64, ptr %v182, i64 %v188
  %v224 = load i64, ptr %v223, align 8
  %v225 = getelementptr i64, ptr %v185, i64 %v188
  %v226 = load i64, ptr %v225, align 8
  %v227 = icmp eq i64 %v224, %v226
  br i1 %v227, label %b57, label %b58
b57:
  %v228 = add i64 %v188, 1
  br label %b47
b58:
  %v229 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 2
  %v230 = load ptr, ptr %v229, align 8
  call void @Py_IncRef(ptr %v230)
  ret ptr %v230
b59:
  %v231 = getelementptr { ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64 }, ptr %v1, i32 0, i32 3
  %v232 = load ptr, ptr %v231, align 8
  call void @Py_IncRef(ptr %v232)
  ret ptr %v232
}
