"""The machine code of a short call: LLVM's text of `snippets_call`.

    PyObject *snippets_call(PyObject *plan, PyObject *const *args, Py_ssize_t count);

It has the form of a C function of CPython (METH_FASTCALL) and is called as `run(inputs, outputs)`
with a tuple of the inputs, and the output or a tuple of the outputs. It checks that every array is
exactly what the plan expects (of class `numpy.ndarray`, the dtype's very object, rank, shape,
C-contiguous, aligned, outputs writeable and sharing no byte with another array), runs the kernels,
and returns its second argument. When anything is different it has done nothing, and returns None.

The plan is an array of 64-bit words (`runtime/direct.py` writes it):

    0 type numpy.ndarray    4 PyEval_SaveThread or 0    8 address of a flag: forked
    1 type tuple            5 PyEval_RestoreThread      9 number of inputs
    2 None                  6 OpenMP functions         10 number of inputs and outputs
    3 Py_IncRef             7 snippets_launch_aligned  11 number of steps
                                                       12 whether the memory is in use
                                                       13 whether there is memory
                                                       14 index of the first word of the steps
    from 15, an array:      dtype, bytes, rank, wanted flags, sizes...
    a step:                 kernel, domain, grain, team, aligned, rt, scratch, count, pointers...

A pointer below `MAX_ARRAYS` is the number of an array, any other an address. Fields of arrays are
at NumPy's offsets (its ABI keeps them), those of tuples at CPython's; `c_function.py` looks whether
this process has them there. While a word says that the memory is in use, another thread's call is
refused; the interpreter's lock makes test and set one step.
"""

from snippets_mlir.runtime.range_text import range_text

MAX_ARRAYS = 32
MAX_POINTERS = 64
FIRST_ARRAY = 15

TEXT = f"""
define ptr @snippets_call(ptr %self, ptr %args, i64 %count) {{
entry:
  %starts = alloca [{MAX_ARRAYS} x i64], align 8
  %ends = alloca [{MAX_ARRAYS} x i64], align 8
  %data = alloca [{MAX_POINTERS} x i64], align 8
  %block = alloca [3 x ptr], align 8
  %plan.p = getelementptr i8, ptr %self, i64 16
  %plan = load ptr, ptr %plan.p, align 8
  %array.type = load ptr, ptr %plan, align 8
  %w1 = getelementptr i64, ptr %plan, i64 1
  %tuple.type = load ptr, ptr %w1, align 8
  %w3 = getelementptr i64, ptr %plan, i64 3
  %incref = load ptr, ptr %w3, align 8
  %w9 = getelementptr i64, ptr %plan, i64 9
  %inputs = load i64, ptr %w9, align 8
  %w10 = getelementptr i64, ptr %plan, i64 10
  %arrays = load i64, ptr %w10, align 8
  %two = icmp eq i64 %count, 2
  br i1 %two, label %first, label %miss

first:
  %in = load ptr, ptr %args, align 8
  %in.type.p = getelementptr i8, ptr %in, i64 8
  %in.type = load ptr, ptr %in.type.p, align 8
  %in.tuple = icmp eq ptr %in.type, %tuple.type
  br i1 %in.tuple, label %second, label %miss

second:
  %in.size.p = getelementptr i8, ptr %in, i64 16
  %in.size = load i64, ptr %in.size.p, align 8
  %in.items = getelementptr i8, ptr %in, i64 24
  %out.p = getelementptr ptr, ptr %args, i64 1
  %out = load ptr, ptr %out.p, align 8
  %out.type.p = getelementptr i8, ptr %out, i64 8
  %out.type = load ptr, ptr %out.type.p, align 8
  %in.right = icmp eq i64 %in.size, %inputs
  %out.array = icmp eq ptr %out.type, %array.type
  %out.tuple = icmp eq ptr %out.type, %tuple.type
  %out.known = or i1 %out.array, %out.tuple
  %kinds = and i1 %in.right, %out.known
  br i1 %kinds, label %outputs, label %miss

outputs:
  %out.size.p = getelementptr i8, ptr %out, i64 16
  %out.size.read = load i64, ptr %out.size.p, align 8
  %out.size = select i1 %out.array, i64 1, i64 %out.size.read
  %out.items.read = getelementptr i8, ptr %out, i64 24
  %out.items = select i1 %out.array, ptr %out.p, ptr %out.items.read
  %total = add i64 %inputs, %out.size
  %right = icmp eq i64 %total, %arrays
  br i1 %right, label %next, label %miss

next:
  %i = phi i64 [ 0, %outputs ], [ %i.next, %checked ]
  %at = phi i64 [ {FIRST_ARRAY}, %outputs ], [ %at.next, %checked ]
  %done = icmp eq i64 %i, %arrays
  br i1 %done, label %free, label %array

array:
  %is.input = icmp ult i64 %i, %inputs
  %k = sub i64 %i, %inputs
  %items = select i1 %is.input, ptr %in.items, ptr %out.items
  %index = select i1 %is.input, i64 %i, i64 %k
  %object.p = getelementptr ptr, ptr %items, i64 %index
  %object = load ptr, ptr %object.p, align 8
  %type.p = getelementptr i8, ptr %object, i64 8
  %type = load ptr, ptr %type.p, align 8
  %is.array = icmp eq ptr %type, %array.type
  br i1 %is.array, label %fields, label %miss

fields:
  %spec = getelementptr i64, ptr %plan, i64 %at
  %dtype = load ptr, ptr %spec, align 8
  %spec1 = getelementptr i64, ptr %spec, i64 1
  %bytes = load i64, ptr %spec1, align 8
  %spec2 = getelementptr i64, ptr %spec, i64 2
  %rank = load i64, ptr %spec2, align 8
  %spec3 = getelementptr i64, ptr %spec, i64 3
  %wanted = load i64, ptr %spec3, align 8
  %sizes = getelementptr i64, ptr %spec, i64 4
  %start.p = getelementptr i8, ptr %object, i64 16
  %start = load i64, ptr %start.p, align 8
  %nd.p = getelementptr i8, ptr %object, i64 24
  %nd32 = load i32, ptr %nd.p, align 8
  %nd = sext i32 %nd32 to i64
  %dims.p = getelementptr i8, ptr %object, i64 32
  %dims = load ptr, ptr %dims.p, align 8
  %descr.p = getelementptr i8, ptr %object, i64 56
  %descr = load ptr, ptr %descr.p, align 8
  %flags.p = getelementptr i8, ptr %object, i64 64
  %flags32 = load i32, ptr %flags.p, align 8
  %flags = zext i32 %flags32 to i64
  %has = and i64 %flags, %wanted
  %flags.right = icmp eq i64 %has, %wanted
  %descr.right = icmp eq ptr %descr, %dtype
  %rank.right = icmp eq i64 %nd, %rank
  %both = and i1 %flags.right, %descr.right
  %fits = and i1 %both, %rank.right
  br i1 %fits, label %size, label %miss

size:
  %d = phi i64 [ 0, %fields ], [ %d.next, %compare ]
  %sized = icmp eq i64 %d, %rank
  br i1 %sized, label %span, label %compare

compare:
  %size.p = getelementptr i64, ptr %dims, i64 %d
  %found = load i64, ptr %size.p, align 8
  %expected.p = getelementptr i64, ptr %sizes, i64 %d
  %expected = load i64, ptr %expected.p, align 8
  %d.next = add i64 %d, 1
  %same = icmp eq i64 %found, %expected
  br i1 %same, label %size, label %miss

span:
  %end = add i64 %start, %bytes
  %starts.p = getelementptr i64, ptr %starts, i64 %i
  store i64 %start, ptr %starts.p, align 8
  %ends.p = getelementptr i64, ptr %ends, i64 %i
  store i64 %end, ptr %ends.p, align 8
  br label %other

other:
  %j = phi i64 [ 0, %span ], [ %j.next, %apart ]
  %all = icmp eq i64 %j, %i
  %alone = or i1 %is.input, %all
  br i1 %alone, label %checked, label %apart

apart:
  %other.start.p = getelementptr i64, ptr %starts, i64 %j
  %other.start = load i64, ptr %other.start.p, align 8
  %other.end.p = getelementptr i64, ptr %ends, i64 %j
  %other.end = load i64, ptr %other.end.p, align 8
  %j.next = add i64 %j, 1
  %before = icmp ult i64 %start, %other.end
  %behind = icmp ult i64 %other.start, %end
  %overlap = and i1 %before, %behind
  br i1 %overlap, label %miss, label %other

checked:
  %i.next = add i64 %i, 1
  %words = add i64 %rank, 4
  %at.next = add i64 %at, %words
  br label %next

free:
  %w12 = getelementptr i64, ptr %plan, i64 12
  %busy = load i64, ptr %w12, align 8
  %idle = icmp eq i64 %busy, 0
  br i1 %idle, label %take, label %miss

take:
  %w13 = getelementptr i64, ptr %plan, i64 13
  %memory = load i64, ptr %w13, align 8
  store i64 %memory, ptr %w12, align 8
  %w4 = getelementptr i64, ptr %plan, i64 4
  %save = load ptr, ptr %w4, align 8
  %keep = icmp eq ptr %save, null
  br i1 %keep, label %begin, label %release

release:
  %saved = call ptr %save()
  br label %begin

begin:
  %state = phi ptr [ null, %take ], [ %saved, %release ]
  %w8 = getelementptr i64, ptr %plan, i64 8
  %forked.p = load ptr, ptr %w8, align 8
  %forked = load i32, ptr %forked.p, align 4
  %whole = icmp eq i32 %forked, 0
  %w6 = getelementptr i64, ptr %plan, i64 6
  %openmp = load ptr, ptr %w6, align 8
  %w7 = getelementptr i64, ptr %plan, i64 7
  %launch = load ptr, ptr %w7, align 8
  %w11 = getelementptr i64, ptr %plan, i64 11
  %steps = load i64, ptr %w11, align 8
  %w14 = getelementptr i64, ptr %plan, i64 14
  %first.step = load i64, ptr %w14, align 8
  br label %step

step:
  %s = phi i64 [ 0, %begin ], [ %s.next, %ran ]
  %word = phi i64 [ %first.step, %begin ], [ %word.next, %ran ]
  %finished = icmp eq i64 %s, %steps
  br i1 %finished, label %after, label %load

load:
  %fact = getelementptr i64, ptr %plan, i64 %word
  %kernel = load ptr, ptr %fact, align 8
  %fact1 = getelementptr i64, ptr %fact, i64 1
  %domain = load i64, ptr %fact1, align 8
  %fact2 = getelementptr i64, ptr %fact, i64 2
  %grain = load i64, ptr %fact2, align 8
  %fact3 = getelementptr i64, ptr %fact, i64 3
  %team = load i64, ptr %fact3, align 8
  %fact4 = getelementptr i64, ptr %fact, i64 4
  %aligned = load i64, ptr %fact4, align 8
  %fact5 = getelementptr i64, ptr %fact, i64 5
  %rt = load ptr, ptr %fact5, align 8
  %fact6 = getelementptr i64, ptr %fact, i64 6
  %scratch = load ptr, ptr %fact6, align 8
  %fact7 = getelementptr i64, ptr %fact, i64 7
  %pointers = load i64, ptr %fact7, align 8
  %list = getelementptr i64, ptr %fact, i64 8
  br label %pointer

pointer:
  %p = phi i64 [ 0, %load ], [ %p.next, %address ]
  %full = icmp eq i64 %p, %pointers
  br i1 %full, label %split, label %address

address:
  %code.p = getelementptr i64, ptr %list, i64 %p
  %code = load i64, ptr %code.p, align 8
  %given = icmp ult i64 %code, {MAX_ARRAYS}
  %slot = select i1 %given, i64 %code, i64 0
  %given.p = getelementptr i64, ptr %starts, i64 %slot
  %given.start = load i64, ptr %given.p, align 8
  %target = select i1 %given, i64 %given.start, i64 %code
  %data.p = getelementptr i64, ptr %data, i64 %p
  store i64 %target, ptr %data.p, align 8
  %p.next = add i64 %p, 1
  br label %pointer

split:
  %many = icmp ugt i64 %team, 1
  %together = and i1 %many, %whole
  br i1 %together, label %team.run, label %one.run

team.run:
  %team32 = trunc i64 %team to i32
  call void %launch(ptr %openmp, ptr %kernel, ptr %data, ptr %rt, ptr %scratch,
                    i64 %domain, i64 %grain, i32 %team32, i64 %aligned)
  br label %ran

one.run:
  store ptr %data, ptr %block, align 8
  %block1 = getelementptr ptr, ptr %block, i64 1
  store ptr %rt, ptr %block1, align 8
  %block2 = getelementptr ptr, ptr %block, i64 2
  store ptr %scratch, ptr %block2, align 8
  %plain = icmp eq i64 %aligned, 0
  br i1 %plain, label %plain.run, label %aligned.run

plain.run:
  call void %kernel(ptr %block, i64 0, i64 %domain, i64 0)
  br label %ran

aligned.run:
  call void @snippets_range(ptr %kernel, ptr %block, i64 0, i64 %domain, i64 0,
                            i64 %grain, i64 %aligned)
  br label %ran

ran:
  %s.next = add i64 %s, 1
  %step.words = add i64 %pointers, 8
  %word.next = add i64 %word, %step.words
  br label %step

after:
  br i1 %keep, label %give, label %acquire

acquire:
  %w5 = getelementptr i64, ptr %plan, i64 5
  %restore = load ptr, ptr %w5, align 8
  call void %restore(ptr %state)
  br label %give

give:
  store i64 0, ptr %w12, align 8
  call void %incref(ptr %out)
  ret ptr %out

miss:
  %w2 = getelementptr i64, ptr %plan, i64 2
  %none = load ptr, ptr %w2, align 8
  call void %incref(ptr %none)
  ret ptr %none
}}
{range_text("internal")}"""
