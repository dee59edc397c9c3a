"""A whole training program, slow for many reasons, to be made fast."""
