"""Write kernels to files: the graphs and pictures of `lir-serialize-*` and of LIR dumps."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.passes.lir.debug.control_flow_picture import control_flow_svg
from snippets_mlir.passes.lir.debug.data_flow_picture import data_flow_svg
from snippets_mlir.passes.lir.debug.kernel_view import KernelView, view_of
from snippets_mlir.passes.lir.debug.lir_debug_print import kernel_text
from snippets_mlir.passes.lir.debug.openvino_xml import control_flow_xml, data_flow_xml
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of

CONTROL_FLOW = "control_flow"
DATA_FLOW = "data_flow"
GRAPHS = (CONTROL_FLOW, DATA_FLOW)
FORMATS = ("xml", "svg", "html")

_XML: dict[str, Callable[[KernelView], str]] = {
    CONTROL_FLOW: control_flow_xml,
    DATA_FLOW: data_flow_xml,
}
_SVG: dict[str, Callable[[KernelView], str]] = {
    CONTROL_FLOW: control_flow_svg,
    DATA_FLOW: data_flow_svg,
}

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title></head>
<body>
{svg}
<pre>{text}</pre>
</body>
</html>
"""


def checked_formats(format: str) -> tuple[str, ...]:
    """The formats for `xml`, `svg`, `html` or `all`; CompileError for another word."""
    if format == "all":
        return FORMATS
    if format not in FORMATS:
        hint = close_match(format, (*FORMATS, "all"))
        raise CompileError(f"format: expected xml, svg, html or all, found '{format}'{hint}")
    return (format,)


def rendered(view: KernelView, graph: str, format: str) -> str:
    """The text of the file of one graph in one format: `xml`, `svg` or `html`."""
    if format == "xml":
        return _XML[graph](view)
    svg = _SVG[graph](view)
    if format == "svg":
        return svg
    title = f"kernel @{view.name}"
    return _PAGE.format(title=escape(title), svg=svg, text=escape(kernel_text(view)))


def write_file(path: Path, text: str) -> None:
    """Write a file, and create its folder if needed; CompileError if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write {path}: {error.strerror}") from None


def serialize(kernel: KernelOp, graph: str, path: str, format: str) -> None:
    """Write one file for each format.

    `path` with the suffix of the format; if the module has several kernels, their names are put
    before it.
    """
    formats = checked_formats(format)
    view, base = view_of(kernel), _base_of(kernel, path)
    for one in formats:
        write_file(base.with_name(f"{base.name}.{one}"), rendered(view, graph, one))


def write_svg(kernel: KernelOp, path: str, svg: str) -> None:
    """Write a picture of a kernel, with a name as in `serialize`; a suffix stays."""
    base = _base_of(kernel, path)
    write_file(base.with_name(f"{base.name}{Path(path).suffix or '.svg'}"), svg)


def _base_of(kernel: KernelOp, path: str) -> Path:
    """The path without a suffix, with the kernel's name if the module has several."""
    if not path:
        raise CompileError("path: expected a file name such as kernel.xml, found nothing")
    base = Path(path)
    stem = base.stem if base.suffix[1:] in FORMATS else base.name
    several = len(kernels_of(module_of(kernel))) > 1
    return base.with_name(f"{stem}_{kernel.sym_name.data}" if several else stem)
