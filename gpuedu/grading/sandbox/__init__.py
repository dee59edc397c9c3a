"""Where a learner's code runs during grading: no network, no secrets, limits on everything."""

from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError

__all__ = ["PlayingLimits", "SandboxError"]
