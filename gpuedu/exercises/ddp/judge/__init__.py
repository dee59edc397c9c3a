"""Judges of the lesson ddp, one module an exercise."""

from gpuedu.exercises.ddp.judge import buckets, naive_ddp, no_sync, overlap, sampler

JUDGES = {
    "buckets": buckets.JUDGE,
    "overlap": overlap.JUDGE,
    "naive-ddp": naive_ddp.JUDGE,
    "no-sync": no_sync.JUDGE,
    "sampler": sampler.JUDGE,
}
