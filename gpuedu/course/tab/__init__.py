"""A lesson's session in a browser tab: where work is kept, and how a new release gets into it."""
