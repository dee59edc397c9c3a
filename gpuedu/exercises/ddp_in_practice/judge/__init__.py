"""Judges of the lesson ddp-in-practice, one module an exercise."""

from gpuedu.exercises.ddp_in_practice.judge import clip_and_mean, scaling, survive, torch_ddp

JUDGES = {
    "torch-ddp": torch_ddp.JUDGE,
    "clip-and-mean": clip_and_mean.JUDGE,
    "scaling": scaling.JUDGE,
    "survive": survive.JUDGE,
}
