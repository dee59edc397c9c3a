"""Judges of the lesson welcome, one module an exercise."""

from gpuedu.exercises.welcome.judge import bandwidth, first_check, honest_timer, launch_bound

JUDGES = {
    "first-check": first_check.JUDGE,
    "honest-timer": honest_timer.JUDGE,
    "bandwidth": bandwidth.JUDGE,
    "launch-bound": launch_bound.JUDGE,
}
