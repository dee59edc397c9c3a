# Daly's higher-order estimate, and an estimate written as one fraction.
def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    saves = mtbf_s / interval_s
    return (saves * save_s + restart_s + write_s + 0.5 * interval_s) / mtbf_s


def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    mean = node_mtbf_s / nodes
    half = save_s / (2 * mean)
    interval = math.sqrt(2 * save_s * mean) * (1 + math.sqrt(half) / 3 + half / 9) - save_s
    return max(interval, write_s)
