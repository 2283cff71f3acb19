"""From IR to text and bytes that other tools read."""
