"""What the judges of the lesson choose-hardware share."""
