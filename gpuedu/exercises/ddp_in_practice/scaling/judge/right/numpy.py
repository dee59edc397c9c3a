# NumPy's numbers; messages one by one; comparisons with a loop
import numpy as np


def step_s(ranks, batch, work, net):
    shards = [len(shard) for shard in np.array_split(np.arange(batch), ranks)]
    computing = np.float64(work.fixed_s + max(shards) * work.sample_s)
    if ranks == 1:
        return computing
    link = (net.within, net.across)[ranks > net.per_node]

    def message(size):
        return link.latency_s + size / (ranks * link.bytes_per_s)

    early = sum(message(work.bytes - work.last_bytes) for _ in range(2 * (ranks - 1)))
    late = 2 * (ranks - 1) * message(work.last_bytes)
    forward, backward = (1 - work.backward) * computing, work.backward * computing
    return forward + max(backward, early) + late


def most_ranks(counts, least, batch, work, net, scaling):
    best = 0
    for n in counts:
        if n > best and efficiency(n, batch, work, net, scaling) >= least:
            best = n
    return best
