# The interval at which the derivative is 0, by Newton's method.
def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    return save_s / interval_s + (restart_s + write_s + 0.5 * interval_s) / mtbf_s


def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    mtbf_s = node_mtbf_s / nodes
    x = 1.0
    for _ in range(60):
        decay = math.exp(-x - save_s / mtbf_s)
        x -= (x - 1 + decay) / (1 - decay)
    return max(x * mtbf_s, write_s)
