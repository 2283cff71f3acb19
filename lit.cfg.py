"""Settings of the real lit; `test/support/lit_runner.py` runs the same files in-process.

lit runs this file with `config` and `lit_config` defined.
"""

import os
import sys

import lit.formats

root = os.path.dirname(os.path.abspath(__file__))
commands = os.path.dirname(sys.executable)

config.name = "snippets-mlir"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["Output", "inputs", "support"]
config.test_source_root = root
config.test_exec_root = os.path.join(root, "build", "lit")
config.environment["PATH"] = os.pathsep.join((commands, os.environ.get("PATH", "")))
config.substitutions += [
    ("%roundtrip", "snippets-opt %s | snippets-opt - | filecheck %s"),
    (
        "%generic-roundtrip",
        "snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s",
    ),
]
if not config.maxIndividualTestTime:
    config.maxIndividualTestTime = 60
