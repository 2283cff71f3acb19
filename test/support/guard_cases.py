"""Small programs of every class of ops, in which one size is free, for tests of what is touched.

A size `@` in a type is the free one: the last dim, mostly. It is a number, or `?`. Programs with no
`@` have their sizes. Inputs are harmless numbers: what is looked at are addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

FLOATS, INTEGERS = ("f32", "f64"), ("i32", "i64")
ELEMENTS = (*FLOATS, *INTEGERS, "i1")
REDUCED = {"first": (0, "2x@"), "middle": (1, "3x@"), "last": (2, "3x2")}
PERMUTED = {
    "0, 2, 1": "2x3x@",
    "2, 0, 1": "3x2x@",
    "1, 2, 0": "@x3x2",
    "2, 1, 0": "3x@x2",
    "1, 0, 2": "@x2x3",
}
RANKS = ("", "@x", "3x@x", "2x3x@x", "2x1x3x@x", "2x1x2x1x@x", "1x2x1x2x3x@x")


@dataclass(frozen=True)
class Form:
    """One program: `%name: type` arguments, the lines of its body, results as arguments."""

    name: str
    arguments: str
    body: str
    results: str

    @property
    def free(self) -> bool:
        """Whether it has a free size."""
        return "@" in self.arguments

    @property
    def core(self) -> bool:
        """Whether it is of the elements that most tests use; the others are wider, mostly."""
        return not self.name.endswith(("f64", "i32", "i64"))

    def text(self, sizes: Sequence[int | str]) -> str:
        """A function `@main` that holds the program once for each size."""
        copies = [self._copy(size) for size in (sizes if self.free else sizes[:1])]
        arguments = ", ".join(c.arguments for c in copies)
        results = [r.strip() for c in copies for r in c.results.split(", ")]
        names = ", ".join(r.partition(": ")[0] for r in results)
        types = ", ".join(r.partition(": ")[2] for r in results)
        lines = [f"func.func @main({arguments}) -> ({types}) {{", *(c.body for c in copies)]
        return "\n".join([*lines, f"func.return {names} : {types}", "}"])

    def _copy(self, size: int | str) -> Form:
        suffix = "" if size == "?" else f"_{size}"

        def filled(text: str) -> str:
            return re.sub(r"%(\w+)", rf"%\1{suffix}", text).replace("@", str(size))

        return Form(self.name, filled(self.arguments), filled(self.body), filled(self.results))


def _tensor(shape: str, element: str) -> str:
    return f"tensor<{shape}{'' if not shape or shape.endswith('x') else 'x'}{element}>"


def _elementwise() -> list[Form]:
    found: list[Form] = []
    for element in FLOATS:
        t = _tensor("3x@", element)
        body = f"""
          %a = snippets.exp %x : {t}
          %b = snippets.maximum %a, %y : {t}
          %c = snippets.erf %y : {t}"""
        found.append(Form(f"elementwise {element}", f"%x: {t}, %y: {t}", body, f"%b: {t}, %c: {t}"))
    for element in INTEGERS:
        t = _tensor("3x@", element)
        body = f"""
          %a = snippets.multiply %x, %y : {t}
          %b = snippets.floor_mod %a, %y : {t}"""
        found.append(Form(f"elementwise {element}", f"%x: {t}, %y: {t}", body, f"%b: {t}"))
    for element in (*FLOATS, "i64"):
        t, m = _tensor("@", element), _tensor("@", "i1")
        body = f"""
          %a = snippets.less %x, %y : ({t}, {t}) -> {m}
          %b = snippets.logical_and %a, %m : {m}
          %c = snippets.select %b, %x, %y : ({m}, {t}, {t}) -> {t}"""
        arguments = f"%x: {t}, %y: {t}, %m: {m}"
        found.append(Form(f"bools and select {element}", arguments, body, f"%b: {m}, %c: {t}"))
    m = _tensor("3x@", "i1")
    body = f"%a = snippets.logical_not %x : {m}"
    return [*found, Form("bools only", f"%x: {m}", body, f"%a: {m}")]


def _conversions() -> list[Form]:
    found: list[Form] = []
    for source in ELEMENTS:
        s, others = _tensor("@", source), [e for e in ELEMENTS if e != source]
        lines = [
            f"%v{e} = snippets.convert_{'truncation' if i % 2 else 'saturation'} %x : "
            f"({s}) -> {_tensor('@', e)}"
            for i, e in enumerate(others)
        ]
        results = ", ".join(f"%v{e}: {_tensor('@', e)}" for e in others)
        found.append(Form(f"convert {source}", f"%x: {s}", "\n".join(lines), results))
    i, f = _tensor("@", "i32"), _tensor("@", "f32")
    table = "{table = dense<[0.5, -1.0, 7.0]> : tensor<3xf32>}"
    body = f"""
      %a = snippets.lookup %x {table} : ({i}) -> {f}
      %b = snippets.bitcast %x : ({i}) -> {f}"""
    return [*found, Form("lookup and bitcast", f"%x: {i}", body, f"%a: {f}, %b: {f}")]


def _broadcasts() -> list[Form]:
    t = _tensor("3x@", "f32")
    row, column, one = _tensor("@", "f32"), _tensor("3x1", "f32"), _tensor("", "f32")
    body = f"""
      %a = snippets.add %x, %r : ({t}, {row}) -> {t}
      %b = snippets.multiply %a, %c : ({t}, {column}) -> {t}
      %d = snippets.subtract %b, %s : ({t}, {one}) -> {t}"""
    arguments = f"%x: {t}, %r: {row}, %c: {column}, %s: {one}"
    found = [Form("broadcasts", arguments, body, f"%d: {t}")]
    outer = f"%a = snippets.add %r, %c : ({row}, {column}) -> {t}"
    found.append(Form("outer sum", f"%r: {row}, %c: {column}", outer, f"%a: {t}"))
    for rank, shape in enumerate(RANKS):
        t = _tensor(shape, "f32")
        body = f"%a = snippets.add %x, %y : {t}\n%b = snippets.multiply %a, %x : {t}"
        found.append(Form(f"rank {rank}", f"%x: {t}, %y: {t}", body, f"%b: {t}"))
    return found


def _reductions() -> list[Form]:
    found: list[Form] = []
    for dim, (axis, shape) in REDUCED.items():
        for element in ("f32", "f64", "i32", "i64"):
            t, r = _tensor("3x2x@", element), _tensor(shape, element)
            mean = "reduce_mean" if element in FLOATS else "reduce_min"
            kinds = ("reduce_sum", "reduce_max", mean)
            lines = [
                f"%v{i} = snippets.{kind} %x {{axes = array<i64: {axis}>}} : ({t}) -> {r}"
                for i, kind in enumerate(kinds)
            ]
            results = ", ".join(f"%v{i}: {r}" for i in range(len(kinds)))
            name = f"reduce the {dim} dim {element}"
            found.append(Form(name, f"%x: {t}", "\n".join(lines), results))
    t, r = _tensor("1x4136", "f32"), _tensor("1x1", "f32")
    body = f"%a = snippets.reduce_sum %x {{axes = array<i64: 1>, keep_dims}} : ({t}) -> {r}"
    return [*found, Form("a long sum", f"%x: {t}", body, f"%a: {r}")]


def _scans() -> list[Form]:
    found: list[Form] = []
    for element in (*FLOATS, *INTEGERS):
        t = _tensor("3x2x@", element)
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
        t, row = _tensor("3x@", element), _tensor("@", element)
        one, epsilon = _tensor("3x1", element), "epsilon = 1.0e-5 : f32"
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
    t, row = _tensor("2x3x@", "f32"), _tensor("3", "f32")
    body = f"""
      %a = snippets.instance_norm %x, %s, %s {{epsilon = 1.0e-5 : f32}} : ({t}, {row}, {row}) -> {t}
      %b = snippets.log_softmax %x {{axis = 1 : i64}} : {t}"""
    found.append(Form("channels", f"%x: {t}, %s: {row}", body, f"%a: {t}, %b: {t}"))
    return found


def _layouts() -> list[Form]:
    found: list[Form] = []
    for element in ("f32", "f64", "i1"):
        t, r = _tensor("3x@", element), _tensor("@x3", element)
        op = "logical_xor" if element == "i1" else "maximum"
        body = f"""
          %a = snippets.transpose %x {{permutation = array<i64: 1, 0>}} : ({t}) -> {r}
          %b = snippets.{op} %a, %y : {r}"""
        found.append(Form(f"transpose {element}", f"%x: {t}, %y: {r}", body, f"%b: {r}"))
        t, r = _tensor("@x3", element), _tensor("3x@", element)
        body = f"%a = snippets.transpose %x {{permutation = array<i64: 1, 0>}} : ({t}) -> {r}"
        found.append(Form(f"transpose alone {element}", f"%x: {t}", body, f"%a: {r}"))
    for permutation, shape in PERMUTED.items():
        t, r = _tensor("2x@x3", "f32"), _tensor(shape, "f32")
        body = f"""
          %a = snippets.transpose %x {{permutation = array<i64: {permutation}>}} : ({t}) -> {r}
          %b = snippets.abs %a : {r}"""
        found.append(Form(f"permute {permutation}", f"%x: {t}", body, f"%b: {r}"))
    for element in FLOATS:
        t, r = _tensor("9x@", element), _tensor("@x9", element)
        for name, of, to in (("rows", t, r), ("columns", r, t)):
            body = f"""
              %a = snippets.transpose %x {{permutation = array<i64: 1, 0>}} : ({of}) -> {to}
              %b = snippets.add %a, %y : {to}"""
            arguments = f"%x: {of}, %y: {to}"
            found.append(Form(f"tiles, {name} {element}", arguments, body, f"%b: {to}"))
    t, r = _tensor("4x@", "f32"), _tensor("3x@", "f32")
    body = f"""
      %a = snippets.slice %x {{starts = array<i64: 1, 0>, steps = array<i64: 1, 1>}} : ({t}) -> {r}
      %b = snippets.slice %x {{starts = array<i64: 2, 0>, steps = array<i64: -1, 1>}} : ({t}) -> {r}
      %c = snippets.subtract %a, %b : {r}"""
    found.append(Form("sliced rows", f"%x: {t}", body, f"%c: {r}"))
    for size in (1, 7, 8, 9, 15, 16, 17, 33):
        t, r = _tensor(f"3x{2 * size}", "f32"), _tensor(f"3x{size}", "f32")
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
        t, o, r = (_tensor(shape, element) for shape in ("3x@", "1x@", "4x@"))
        body = f"%c = snippets.concat %x, %y {{axis = 0 : i64}} : ({t}, {o}) -> {r}"
        found.append(Form(f"joined rows {element}", f"%x: {t}, %y: {o}", body, f"%c: {r}"))
    for size in (1, 7, 8, 9, 15, 16, 17, 33):
        t, o, r = (_tensor(f"3x{n}", "f32") for n in (size, 5, size + 5))
        s, u, p = (_tensor(shape, "f32") for shape in ("3x5x1", "3x5x2", f"4x{size + 8}"))
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
        t, u, p = (_tensor(shape, element) for shape in ("3x@", "3x@x1", "3x@x2"))
        body = f"""
          %a = snippets.unsqueeze %x {{axes = array<i64: 2>}} : ({t}) -> {u}
          %b = snippets.unsqueeze %y {{axes = array<i64: 2>}} : ({t}) -> {u}
          %c = snippets.concat %a, %b {{axis = 2 : i64}} : ({u}, {u}) -> {p}"""
        found.append(Form(f"stacked {element}", f"%x: {t}, %y: {t}", body, f"%c: {p}"))
    for element in ELEMENTS:
        t, rows, columns = (_tensor(shape, element) for shape in ("9x@", "4x@", "9x4"))
        part = _tensor("4x@", element)
        body = f"""
          %i = snippets.constant dense<[0, 99, -3, 8]> : tensor<4xi64>
          %a = snippets.gather %x, %i {{axis = 0 : i64}} : ({t}, tensor<4xi64>) -> {rows}
          %b = snippets.gather %x, %i {{axis = 1 : i64}} : ({t}, tensor<4xi64>) -> {columns}
          %c = snippets.dynamic_slice %x, %y {{axes = array<i64: 0>}} :
              ({t}, tensor<i64>) -> {part}"""
        results = f"%a: {rows}, %b: {columns}, %c: {part}"
        arguments = f"%x: {t}, %y: tensor<i64>"
        found.append(Form(f"at places {element}", arguments, body, results))
    t, r = _tensor("9x@", "f32"), _tensor("@", "f32")
    body = f"""
      %a = snippets.reduce_sum %x {{axes = array<i64: 0>}} : ({t}) -> {r}
      %b = snippets.reduce_max %x {{axes = array<i64: 0>}} : ({t}) -> {r}"""
    found.append(Form("columns", f"%x: {t}", body, f"%a: {r}, %b: {r}"))
    t, u = _tensor("3x@", "i32"), _tensor("3x1x@", "i32")
    body = f"""
      %a = snippets.unsqueeze %x {{axes = array<i64: 1>}} : ({t}) -> {u}
      %b = snippets.negative %a : {u}
      %c = snippets.squeeze %b {{axes = array<i64: 1>}} : ({u}) -> {t}
      %d = snippets.add %c, %x : {t}"""
    found.append(Form("views", f"%x: {t}", body, f"%d: {t}"))
    t, r = _tensor("2x3x@", "f32"), _tensor("6x@", "f32")
    body = f"""
      %a = snippets.reshape %x : ({t}) -> {r}
      %b = snippets.multiply %a, %y : {r}"""
    return [*found, Form("reshape", f"%x: {t}, %y: {r}", body, f"%b: {r}")]


def all_forms() -> list[Form]:
    """Every program; their names are different."""
    return [
        *_elementwise(),
        *_conversions(),
        *_broadcasts(),
        *_reductions(),
        *_scans(),
        *_rows(),
        *_layouts(),
    ]
