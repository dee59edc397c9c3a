# must lose: best
import math


def run_h(up_h, work_h, interval_h, save_h, restart_h):
    return 0


def expected_h(work_h, interval_h, save_h, restart_h, mean_h):
    return 0


def best_interval(save_h, restart_h, mean_h):
    return math.sqrt(2 * save_h * mean_h)
