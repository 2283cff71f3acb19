"""Streams, and the requests and queues whose jobs they run."""
