# loses: memory
# the ready-made one
from torch.utils.checkpoint import checkpoint


def checkpointed_step(segments, x, y, loss):
    for segment in segments:
        x = checkpoint(segment, x, use_reentrant=False)
    value = loss(x, y)
    value.backward()
    return value.detach()
