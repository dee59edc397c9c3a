"""The lesson feed-the-gpu: why a GPU waits, and how data get to it in time."""
