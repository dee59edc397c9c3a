"""What several judges of the lesson registers share."""
