"""A plug-in as a package: the entry point `@shrinking` names this module, which has all parts."""

from shrinking import floor_by_ceiling, small_cache
from shrinking.relu_to_maximum import ReluToMaximumPass
from shrinking.small_nodes import IMPLEMENTATIONS
from shrinking.softshrink import RECORDS

PASSES = {"relu-to-maximum": ReluToMaximumPass}
POSITIONS = ["before:snippets-tokenize:relu-to-maximum"]
TARGETS = [*small_cache.TARGETS, *floor_by_ceiling.TARGETS]

__all__ = ["IMPLEMENTATIONS", "PASSES", "POSITIONS", "RECORDS", "TARGETS"]
