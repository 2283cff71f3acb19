"""Settings of lit: it finds the tools beside the interpreter that runs it, or in `PATH`."""

import os
import sys

import lit.formats

config.name = "shrinking"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.environment["PATH"] = os.pathsep.join(
    (os.path.dirname(sys.executable), os.environ.get("PATH", ""))
)
config.environment["SNIPPETS_CACHE_DIR"] = ""
