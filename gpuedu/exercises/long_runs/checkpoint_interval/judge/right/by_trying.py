# Many intervals in a geometric row, of which the best is taken.
def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    return save_s / interval_s + restart_s / mtbf_s + write_s / mtbf_s + interval_s / mtbf_s / 2


def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    mtbf_s = node_mtbf_s / nodes

    def exact(interval_s):
        wait = math.exp((restart_s + write_s) / mtbf_s)
        return mtbf_s * wait * (math.exp((interval_s + save_s) / mtbf_s) - 1) / interval_s

    tried = [mtbf_s * 1.005**-k for k in range(1500)]
    allowed = [one for one in tried if one >= write_s]
    return min([*allowed, max(write_s, tried[-1])], key=exact)
