# must lose: long
def waste(interval_s, save_s, write_s, restart_s, mtbf_s):
    return 0.0


def best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes):
    return 0.75 * node_mtbf_s / nodes
