"""The lesson collectives: how ranks broadcast, sum and share a tensor, and what that costs."""
