# must lose: short
def run_h(up_h, work_h, interval_h, save_h, restart_h):
    return 0.0


def expected_h(work_h, interval_h, save_h, restart_h, mean_h):
    return 0.0


def best_interval(save_h, restart_h, mean_h):
    return 0.22 + 0.48 * mean_h
