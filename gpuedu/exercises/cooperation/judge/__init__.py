"""What several judges of the lesson cooperation share."""
