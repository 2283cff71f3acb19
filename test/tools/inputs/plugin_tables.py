"""The same by tables, as a module that refers to another one."""

DIALECTS = {"mine": "plugin_mine:MINE"}
PASSES = {"mine-abs-to-twice": "plugin_mine:AbsToTwicePass"}
