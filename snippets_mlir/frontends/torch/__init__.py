"""FX graphs of torch.compile as modules; torch itself is imported nowhere but to promote types."""
