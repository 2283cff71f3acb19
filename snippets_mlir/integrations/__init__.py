"""The compiler in the places where other packages ask for one."""
