"""What exercises about arrays of ``cp`` share: watched calls, and what judges say of them."""
