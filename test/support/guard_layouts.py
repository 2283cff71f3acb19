"""Small programs that move elements, in which one size is free."""

from __future__ import annotations

from guard_forms import ELEMENTS, FLOATS, Form, tensor

PERMUTED = {
    "0, 2, 1": "2x3x@",
    "2, 0, 1": "3x2x@",
    "1, 2, 0": "@x3x2",
    "2, 1, 0": "3x@x2",
    "1, 0, 2": "@x2x3",
}


def layouts() -> list[Form]:
    found: list[Form] = []
    for element in ("f32", "f64", "i1"):
        t, r = tensor("3x@", element), tensor("@x3", element)
        op = "logical_xor" if element == "i1" else "maximum"
        body = f"""
          %a = snippets.transpose %x {{permutation = array<i64: 1, 0>}} : ({t}) -> {r}
          %b = snippets.{op} %a, %y : {r}"""
        found.append(Form(f"transpose {element}", f"%x: {t}, %y: {r}", body, f"%b: {r}"))
        t, r = tensor("@x3", element), tensor("3x@", element)
        body = f"%a = snippets.transpose %x {{permutation = array<i64: 1, 0>}} : ({t}) -> {r}"
        found.append(Form(f"transpose alone {element}", f"%x: {t}", body, f"%a: {r}"))
    for permutation, shape in PERMUTED.items():
        t, r = tensor("2x@x3", "f32"), tensor(shape, "f32")
        body = f"""
          %a = snippets.transpose %x {{permutation = array<i64: {permutation}>}} : ({t}) -> {r}
          %b = snippets.abs %a : {r}"""
        found.append(Form(f"permute {permutation}", f"%x: {t}", body, f"%b: {r}"))
    for element in FLOATS:
        t, r = tensor("9x@", element), tensor("@x9", element)
        for name, of, to in (("rows", t, r), ("columns", r, t)):
            body = f"""
              %a = snippets.transpose %x {{permutation = array<i64: 1, 0>}} : ({of}) -> {to}
              %b = snippets.add %a, %y : {to}"""
            arguments = f"%x: {of}, %y: {to}"
            found.append(Form(f"tiles, {name} {element}", arguments, body, f"%b: {to}"))
    t, r = tensor("4x@", "f32"), tensor("3x@", "f32")
    body = f"""
      %a = snippets.slice %x {{starts = array<i64: 1, 0>, steps = array<i64: 1, 1>}} : ({t}) -> {r}
      %b = snippets.slice %x {{starts = array<i64: 2, 0>, steps = array<i64: -1, 1>}} : ({t}) -> {r}
      %c = snippets.subtract %a, %b : {r}"""
    found.append(Form("sliced rows", f"%x: {t}", body, f"%c: {r}"))
    for size in (1, 7, 8, 9, 15, 16, 17, 33):
        t, r = tensor(f"3x{2 * size}", "f32"), tensor(f"3x{size}", "f32")
        body = "".join(
            f"""
          %p{i} = snippets.slice %x {{starts = array<i64: 0, {start}>,
              steps = array<i64: 1, {step}>}} : ({t}) -> {r}
          %r{i} = snippets.abs %p{i} : {r}"""
            for i, (start, step) in enumerate(((0, 1), (size, 1), (1, 2), (2 * size - 1, -1)))
        )
        results = ", ".join(f"%r{i}: {r}" for i in range(4))
        found.append(Form(f"sliced columns {size}", f"%x: {t}", body, results))
    for element in ELEMENTS:
        t, o, r = (tensor(shape, element) for shape in ("3x@", "1x@", "4x@"))
        body = f"%c = snippets.concat %x, %y {{axis = 0 : i64}} : ({t}, {o}) -> {r}"
        found.append(Form(f"joined rows {element}", f"%x: {t}, %y: {o}", body, f"%c: {r}"))
    for size in (1, 7, 8, 9, 15, 16, 17, 33):
        t, o, r = (tensor(f"3x{n}", "f32") for n in (size, 5, size + 5))
        s, u, p = (tensor(shape, "f32") for shape in ("3x5x1", "3x5x2", f"4x{size + 8}"))
        body = f"""
          %n = snippets.negative %x : {t}
          %c = snippets.concat %y, %n {{axis = 1 : i64}} : ({o}, {t}) -> {r}
          %m = snippets.relu %c : {r}
          %e = snippets.reshape %y : ({o}) -> {s}
          %d = snippets.concat %e, %e {{axis = 2 : i64}} : ({s}, {s}) -> {u}
          %p = snippets.pad %c, %v {{low = array<i64: 1, 2>, high = array<i64: 0, 1>}} :
              ({r}, tensor<f32>) -> {p}"""
        arguments = f"%x: {t}, %y: {o}, %v: tensor<f32>"
        results = f"%m: {r}, %d: {u}, %p: {p}"
        found.append(Form(f"joined columns {size}", arguments, body, results))
    for element in ELEMENTS:
        t, u, p = (tensor(shape, element) for shape in ("3x@", "3x@x1", "3x@x2"))
        body = f"""
          %a = snippets.unsqueeze %x {{axes = array<i64: 2>}} : ({t}) -> {u}
          %b = snippets.unsqueeze %y {{axes = array<i64: 2>}} : ({t}) -> {u}
          %c = snippets.concat %a, %b {{axis = 2 : i64}} : ({u}, {u}) -> {p}"""
        found.append(Form(f"stacked {element}", f"%x: {t}, %y: {t}", body, f"%c: {p}"))
    for element in ELEMENTS:
        t, rows, columns = (tensor(shape, element) for shape in ("9x@", "4x@", "9x4"))
        part = tensor("4x@", element)
        body = f"""
          %i = snippets.constant dense<[0, 99, -3, 8]> : tensor<4xi64>
          %a = snippets.gather %x, %i {{axis = 0 : i64}} : ({t}, tensor<4xi64>) -> {rows}
          %b = snippets.gather %x, %i {{axis = 1 : i64}} : ({t}, tensor<4xi64>) -> {columns}
          %c = snippets.dynamic_slice %x, %y {{axes = array<i64: 0>}} :
              ({t}, tensor<i64>) -> {part}"""
        results = f"%a: {rows}, %b: {columns}, %c: {part}"
        arguments = f"%x: {t}, %y: tensor<i64>"
        found.append(Form(f"at places {element}", arguments, body, results))
    t, r = tensor("9x@", "f32"), tensor("@", "f32")
    body = f"""
      %a = snippets.reduce_sum %x {{axes = array<i64: 0>}} : ({t}) -> {r}
      %b = snippets.reduce_max %x {{axes = array<i64: 0>}} : ({t}) -> {r}"""
    found.append(Form("columns", f"%x: {t}", body, f"%a: {r}, %b: {r}"))
    t, u = tensor("3x@", "i32"), tensor("3x1x@", "i32")
    body = f"""
      %a = snippets.unsqueeze %x {{axes = array<i64: 1>}} : ({t}) -> {u}
      %b = snippets.negative %a : {u}
      %c = snippets.squeeze %b {{axes = array<i64: 1>}} : ({u}) -> {t}
      %d = snippets.add %c, %x : {t}"""
    found.append(Form("views", f"%x: {t}", body, f"%d: {t}"))
    t, r = tensor("2x3x@", "f32"), tensor("6x@", "f32")
    body = f"""
      %a = snippets.reshape %x : ({t}) -> {r}
      %b = snippets.multiply %a, %y : {r}"""
    return [*found, Form("reshape", f"%x: {t}, %y: {r}", body, f"%b: {r}")]
