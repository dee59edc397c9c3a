# a plan whose numbers have names
from collections import namedtuple

Plan = namedtuple("Plan", "steps warmup peak")


def rescale(batch, steps, warmup, peak, new_batch, rule):
    share = new_batch / batch
    return Plan(
        round(steps / share),
        round(warmup / share),
        peak * {"linear": share, "root": math.sqrt(share)}[rule],
    )
