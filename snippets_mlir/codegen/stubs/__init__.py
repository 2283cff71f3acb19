"""Stubs: the machine code of the runtime, written in the project's own `llvm` dialect.

| object | functions | modules |
|---|---|---|
| `call` | `snippets_call` | `call.py`, `call_arrays.py`, `call_steps.py` |
| `fields` | `snippets_fields` | `array_fields.py` |
| `launch` | `snippets_launch[_aligned]`, `snippets_range` | `launch.py`, `ranges.py` |
| `fault` | `snippets_watch`, `snippets_fault` | `fault.py`, `fault_report.py`, `fault_line.py` |
| `roundings` | `__trunc{sf,df}{bf,hf}2`, `__extendhfsf2` | `roundings.py` |

Each module shows the equivalent C. It builds `llvm.func` ops through `builder.py`, and `emit`
prints them like kernels. `interface.py`, and the files with similar names, declare the interface of
stubs and Python once: structs by the names of their fields, and limits. `objects.py` finds the
object of a stub on disk without building IR, so it and the interfaces do not import xDSL.
"""
