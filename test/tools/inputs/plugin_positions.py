"""A pass of upstream's before every `cse`."""

POSITIONS = ["before:cse:licm"]
