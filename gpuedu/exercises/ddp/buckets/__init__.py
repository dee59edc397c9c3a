"""The exercise buckets."""
