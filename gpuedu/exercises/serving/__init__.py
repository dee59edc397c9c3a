"""Many requests at once: when each is run, where its cache is kept, and what that costs."""
