"""What several judges of the lesson cupy share."""
