# loses: exchange
def step_s(ranks, batch, work, net):
    computing = work.fixed_s + math.ceil(batch / ranks) * work.sample_s
    link = net.within if ranks <= net.per_node else net.across

    def ring_s(size):
        return link.latency_s + 2 * (ranks - 1) * size / ranks / link.bytes_per_s

    early = ring_s(work.bytes - work.last_bytes)
    return computing + max(0, early - work.backward * computing) + ring_s(work.last_bytes)
