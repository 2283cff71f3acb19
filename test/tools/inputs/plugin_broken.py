"""Cannot be imported."""

from importlib import import_module

import_module("there_is_no_such_module")
