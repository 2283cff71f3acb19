"""What passes of several packages build IR with."""
