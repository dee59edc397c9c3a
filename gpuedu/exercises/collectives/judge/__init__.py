"""What several judges of the lesson collectives share."""
