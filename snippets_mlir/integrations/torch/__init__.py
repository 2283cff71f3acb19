"""The compiler as a backend of `torch.compile`."""
