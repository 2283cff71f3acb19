"""FX graphs of torch.compile as modules; torch itself is imported only to promote types."""
