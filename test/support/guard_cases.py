"""Small programs of every class of ops, in which one size is free, for tests of what is touched.

A size `@` in a type is the free one: the last dim, mostly. It is a number, or `?`. Programs with no
`@` have their sizes. Inputs are harmless numbers: what is looked at are addresses.
"""

from __future__ import annotations

from guard_forms import ELEMENTS, FLOATS, INTEGERS, Form, tensor
from guard_layouts import layouts

REDUCED = {"first": (0, "2x@"), "middle": (1, "3x@"), "last": (2, "3x2")}
RANKS = ("", "@x", "3x@x", "2x3x@x", "2x1x3x@x", "2x1x2x1x@x", "1x2x1x2x3x@x")


def _elementwise() -> list[Form]:
    found: list[Form] = []
    for element in FLOATS:
        t = tensor("3x@", element)
        body = f"""
          %a = snippets.exp %x : {t}
          %b = snippets.maximum %a, %y : {t}
          %c = snippets.erf %y : {t}"""
        found.append(Form(f"elementwise {element}", f"%x: {t}, %y: {t}", body, f"%b: {t}, %c: {t}"))
    for element in INTEGERS:
        t = tensor("3x@", element)
        body = f"""
          %a = snippets.multiply %x, %y : {t}
          %b = snippets.floor_mod %a, %y : {t}"""
        found.append(Form(f"elementwise {element}", f"%x: {t}, %y: {t}", body, f"%b: {t}"))
    for element in (*FLOATS, "i64"):
        t, m = tensor("@", element), tensor("@", "i1")
        body = f"""
          %a = snippets.less %x, %y : ({t}, {t}) -> {m}
          %b = snippets.logical_and %a, %m : {m}
          %c = snippets.select %b, %x, %y : ({m}, {t}, {t}) -> {t}"""
        arguments = f"%x: {t}, %y: {t}, %m: {m}"
        found.append(Form(f"bools and select {element}", arguments, body, f"%b: {m}, %c: {t}"))
    m = tensor("3x@", "i1")
    body = f"%a = snippets.logical_not %x : {m}"
    return [*found, Form("bools only", f"%x: {m}", body, f"%a: {m}")]


def _conversions() -> list[Form]:
    found: list[Form] = []
    for source in ELEMENTS:
        s, others = tensor("@", source), [e for e in ELEMENTS if e != source]
        lines = [
            f"%v{e} = snippets.convert_{'truncation' if i % 2 else 'saturation'} %x : "
            f"({s}) -> {tensor('@', e)}"
            for i, e in enumerate(others)
        ]
        results = ", ".join(f"%v{e}: {tensor('@', e)}" for e in others)
        found.append(Form(f"convert {source}", f"%x: {s}", "\n".join(lines), results))
    i, f = tensor("@", "i32"), tensor("@", "f32")
    table = "{table = dense<[0.5, -1.0, 7.0]> : tensor<3xf32>}"
    body = f"""
      %a = snippets.lookup %x {table} : ({i}) -> {f}
      %b = snippets.bitcast %x : ({i}) -> {f}"""
    return [*found, Form("lookup and bitcast", f"%x: {i}", body, f"%a: {f}, %b: {f}")]


def _broadcasts() -> list[Form]:
    t = tensor("3x@", "f32")
    row, column, one = tensor("@", "f32"), tensor("3x1", "f32"), tensor("", "f32")
    body = f"""
      %a = snippets.add %x, %r : ({t}, {row}) -> {t}
      %b = snippets.multiply %a, %c : ({t}, {column}) -> {t}
      %d = snippets.subtract %b, %s : ({t}, {one}) -> {t}"""
    arguments = f"%x: {t}, %r: {row}, %c: {column}, %s: {one}"
    found = [Form("broadcasts", arguments, body, f"%d: {t}")]
    outer = f"%a = snippets.add %r, %c : ({row}, {column}) -> {t}"
    found.append(Form("outer sum", f"%r: {row}, %c: {column}", outer, f"%a: {t}"))
    for rank, shape in enumerate(RANKS):
        t = tensor(shape, "f32")
        body = f"%a = snippets.add %x, %y : {t}\n%b = snippets.multiply %a, %x : {t}"
        found.append(Form(f"rank {rank}", f"%x: {t}, %y: {t}", body, f"%b: {t}"))
    return found


def _reductions() -> list[Form]:
    found: list[Form] = []
    for dim, (axis, shape) in REDUCED.items():
        for element in ("f32", "f64", "i32", "i64"):
            t, r = tensor("3x2x@", element), tensor(shape, element)
            mean = "reduce_mean" if element in FLOATS else "reduce_min"
            kinds = ("reduce_sum", "reduce_max", mean)
            lines = [
                f"%v{i} = snippets.{kind} %x {{axes = array<i64: {axis}>}} : ({t}) -> {r}"
                for i, kind in enumerate(kinds)
            ]
            results = ", ".join(f"%v{i}: {r}" for i in range(len(kinds)))
            name = f"reduce the {dim} dim {element}"
            found.append(Form(name, f"%x: {t}", "\n".join(lines), results))
    t, r = tensor("1x4136", "f32"), tensor("1x1", "f32")
    body = f"%a = snippets.reduce_sum %x {{axes = array<i64: 1>, keep_dims}} : ({t}) -> {r}"
    return [*found, Form("a long sum", f"%x: {t}", body, f"%a: {r}")]


def _scans() -> list[Form]:
    found: list[Form] = []
    for element in (*FLOATS, *INTEGERS):
        t = tensor("3x2x@", element)
        kinds = ("cum_sum", "cum_max", "cum_prod")
        lines = [
            f"%v{i} = snippets.{kind} %x {{axis = {axis} : i64}} : {t}"
            for i, (kind, axis) in enumerate(zip(kinds, (2, 0, 1), strict=True))
        ]
        lines += [f"%w = snippets.cum_sum %x {{axis = 1 : i64, exclusive, reverse}} : {t}"]
        results = ", ".join(f"%{name}: {t}" for name in ("v0", "v1", "v2", "w"))
        found.append(Form(f"scan {element}", f"%x: {t}", "\n".join(lines), results))
    return found


def _rows() -> list[Form]:
    found: list[Form] = []
    for element in FLOATS:
        t, row = tensor("3x@", element), tensor("@", element)
        one, epsilon = tensor("3x1", element), "epsilon = 1.0e-5 : f32"
        for axis in (0, 1):
            body = f"%a = snippets.softmax %x {{axis = {axis} : i64}} : {t}"
            found.append(Form(f"softmax {axis} {element}", f"%x: {t}", body, f"%a: {t}"))
        body = f"""
          %a = snippets.layer_norm %x, %s, %b {{axis = 1 : i64, {epsilon}}} :
            ({t}, {row}, {row}) -> {t}
          %c = snippets.rms_norm %x, %s {{axis = 1 : i64, {epsilon}}} : ({t}, {row}) -> {t}"""
        arguments = f"%x: {t}, %s: {row}, %b: {row}"
        found.append(Form(f"norms {element}", arguments, body, f"%a: {t}, %c: {t}"))
        body = f"""
          %a = snippets.multiply %x, %x : {t}
          %b = snippets.add %x, %x : {t}
          %c = snippets.multiply %a, %b : {t}
          %s = snippets.reduce_sum %c {{axes = array<i64: 1>, keep_dims}} : ({t}) -> {one}
          %d = snippets.divide %a, %s : ({t}, {one}) -> {t}
          %e = snippets.add %d, %b : {t}"""
        found.append(Form(f"scratch buffers {element}", f"%x: {t}", body, f"%e: {t}"))
    t, row = tensor("2x3x@", "f32"), tensor("3", "f32")
    body = f"""
      %a = snippets.instance_norm %x, %s, %s {{epsilon = 1.0e-5 : f32}} : ({t}, {row}, {row}) -> {t}
      %b = snippets.log_softmax %x {{axis = 1 : i64}} : {t}"""
    found.append(Form("channels", f"%x: {t}, %s: {row}", body, f"%a: {t}, %b: {t}"))
    return found


def all_forms() -> list[Form]:
    """Every program; their names are different."""
    return [
        *_elementwise(),
        *_conversions(),
        *_broadcasts(),
        *_reductions(),
        *_scans(),
        *_rows(),
        *layouts(),
    ]
