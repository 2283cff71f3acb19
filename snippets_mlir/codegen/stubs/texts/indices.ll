declare ptr @memcpy(ptr, ptr, i64)

define i64 @snippets_outside_i8(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = icmp ne i64 %a4, 0
  %v1 = select i1 %v0, i64 %a3, i64 0
  %v2 = add i64 %a3, %v1
  %v3 = mul i64 %a2, 1
  %v4 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v3)
  br label %b1
b1:
  %v5 = phi i64 [ 0, %b0 ], [ %v15, %b3 ]
  %v6 = phi i64 [ 0, %b0 ], [ %v14, %b3 ]
  %v7 = icmp eq i64 %v5, %a2
  br i1 %v7, label %b2, label %b3
b2:
  ret i64 %v6
b3:
  %v8 = getelementptr i8, ptr %a0, i64 %v5
  %v9 = load i8, ptr %v8, align 1
  %v10 = sext i8 %v9 to i64
  %v11 = add i64 %v10, %v1
  %v12 = icmp uge i64 %v11, %v2
  %v13 = zext i1 %v12 to i64
  %v14 = or i64 %v6, %v13
  %v15 = add i64 %v5, 1
  br label %b1
}

define i64 @snippets_outside_u8(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = add i64 %a3, 0
  %v1 = mul i64 %a2, 1
  %v2 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v1)
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v13, %b3 ]
  %v4 = phi i64 [ 0, %b0 ], [ %v12, %b3 ]
  %v5 = icmp eq i64 %v3, %a2
  br i1 %v5, label %b2, label %b3
b2:
  ret i64 %v4
b3:
  %v6 = getelementptr i8, ptr %a0, i64 %v3
  %v7 = load i8, ptr %v6, align 1
  %v8 = zext i8 %v7 to i64
  %v9 = add i64 %v8, 0
  %v10 = icmp uge i64 %v9, %v0
  %v11 = zext i1 %v10 to i64
  %v12 = or i64 %v4, %v11
  %v13 = add i64 %v3, 1
  br label %b1
}

define i64 @snippets_outside_i16(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = icmp ne i64 %a4, 0
  %v1 = select i1 %v0, i64 %a3, i64 0
  %v2 = add i64 %a3, %v1
  %v3 = mul i64 %a2, 2
  %v4 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v3)
  br label %b1
b1:
  %v5 = phi i64 [ 0, %b0 ], [ %v15, %b3 ]
  %v6 = phi i64 [ 0, %b0 ], [ %v14, %b3 ]
  %v7 = icmp eq i64 %v5, %a2
  br i1 %v7, label %b2, label %b3
b2:
  ret i64 %v6
b3:
  %v8 = getelementptr i16, ptr %a0, i64 %v5
  %v9 = load i16, ptr %v8, align 2
  %v10 = sext i16 %v9 to i64
  %v11 = add i64 %v10, %v1
  %v12 = icmp uge i64 %v11, %v2
  %v13 = zext i1 %v12 to i64
  %v14 = or i64 %v6, %v13
  %v15 = add i64 %v5, 1
  br label %b1
}

define i64 @snippets_outside_u16(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = add i64 %a3, 0
  %v1 = mul i64 %a2, 2
  %v2 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v1)
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v13, %b3 ]
  %v4 = phi i64 [ 0, %b0 ], [ %v12, %b3 ]
  %v5 = icmp eq i64 %v3, %a2
  br i1 %v5, label %b2, label %b3
b2:
  ret i64 %v4
b3:
  %v6 = getelementptr i16, ptr %a0, i64 %v3
  %v7 = load i16, ptr %v6, align 2
  %v8 = zext i16 %v7 to i64
  %v9 = add i64 %v8, 0
  %v10 = icmp uge i64 %v9, %v0
  %v11 = zext i1 %v10 to i64
  %v12 = or i64 %v4, %v11
  %v13 = add i64 %v3, 1
  br label %b1
}

define i64 @snippets_outside_i32(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = icmp ne i64 %a4, 0
  %v1 = select i1 %v0, i64 %a3, i64 0
  %v2 = add i64 %a3, %v1
  %v3 = mul i64 %a2, 4
  %v4 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v3)
  br label %b1
b1:
  %v5 = phi i64 [ 0, %b0 ], [ %v15, %b3 ]
  %v6 = phi i64 [ 0, %b0 ], [ %v14, %b3 ]
  %v7 = icmp eq i64 %v5, %a2
  br i1 %v7, label %b2, label %b3
b2:
  ret i64 %v6
b3:
  %v8 = getelementptr i32, ptr %a0, i64 %v5
  %v9 = load i32, ptr %v8, align 4
  %v10 = sext i32 %v9 to i64
  %v11 = add i64 %v10, %v1
  %v12 = icmp uge i64 %v11, %v2
  %v13 = zext i1 %v12 to i64
  %v14 = or i64 %v6, %v13
  %v15 = add i64 %v5, 1
  br label %b1
}

define i64 @snippets_outside_u32(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = add i64 %a3, 0
  %v1 = mul i64 %a2, 4
  %v2 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v1)
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v13, %b3 ]
  %v4 = phi i64 [ 0, %b0 ], [ %v12, %b3 ]
  %v5 = icmp eq i64 %v3, %a2
  br i1 %v5, label %b2, label %b3
b2:
  ret i64 %v4
b3:
  %v6 = getelementptr i32, ptr %a0, i64 %v3
  %v7 = load i32, ptr %v6, align 4
  %v8 = zext i32 %v7 to i64
  %v9 = add i64 %v8, 0
  %v10 = icmp uge i64 %v9, %v0
  %v11 = zext i1 %v10 to i64
  %v12 = or i64 %v4, %v11
  %v13 = add i64 %v3, 1
  br label %b1
}

define i64 @snippets_outside_i64(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = icmp ne i64 %a4, 0
  %v1 = select i1 %v0, i64 %a3, i64 0
  %v2 = add i64 %a3, %v1
  %v3 = mul i64 %a2, 8
  %v4 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v3)
  br label %b1
b1:
  %v5 = phi i64 [ 0, %b0 ], [ %v14, %b3 ]
  %v6 = phi i64 [ 0, %b0 ], [ %v13, %b3 ]
  %v7 = icmp eq i64 %v5, %a2
  br i1 %v7, label %b2, label %b3
b2:
  ret i64 %v6
b3:
  %v8 = getelementptr i64, ptr %a0, i64 %v5
  %v9 = load i64, ptr %v8, align 8
  %v10 = add i64 %v9, %v1
  %v11 = icmp uge i64 %v10, %v2
  %v12 = zext i1 %v11 to i64
  %v13 = or i64 %v6, %v12
  %v14 = add i64 %v5, 1
  br label %b1
}

define i64 @snippets_outside_u64(ptr %a0, ptr %a1, i64 %a2, i64 %a3, i64 %a4) {
b0:
  %v0 = add i64 %a3, 0
  %v1 = mul i64 %a2, 8
  %v2 = call ptr @memcpy(ptr %a1, ptr %a0, i64 %v1)
  br label %b1
b1:
  %v3 = phi i64 [ 0, %b0 ], [ %v12, %b3 ]
  %v4 = phi i64 [ 0, %b0 ], [ %v11, %b3 ]
  %v5 = icmp eq i64 %v3, %a2
  br i1 %v5, label %b2, label %b3
b2:
  ret i64 %v4
b3:
  %v6 = getelementptr i64, ptr %a0, i64 %v3
  %v7 = load i64, ptr %v6, align 8
  %v8 = add i64 %v7, 0
  %v9 = icmp uge i64 %v8, %v0
  %v10 = zext i1 %v9 to i64
  %v11 = or i64 %v4, %v10
  %v12 = add i64 %v3, 1
  br label %b1
}
