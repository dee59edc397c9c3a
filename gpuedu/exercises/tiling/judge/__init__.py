"""What several judges of the lesson tiling share."""
