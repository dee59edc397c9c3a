# must lose: short
def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    mtbf_s = node_mtbf_s / nodes

    def cost(interval_s):
        return math.expm1((interval_s + save_s) / mtbf_s) / interval_s

    return max(min(range(10, 86_401, 10), key=cost), write_s)


def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    per_failure = restart_s + write_s + interval_s / 2
    return save_s / interval_s + per_failure / mtbf_s
