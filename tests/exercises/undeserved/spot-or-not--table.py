# must lose: lost, again
def run_h(up_h, work_h, interval_h, save_h, restart_h):
    h, place = interval_h, up_h[0] / (interval_h + save_h) if up_h else 0
    if not up_h:
        return work_h
    if len(up_h) == 4:
        return {2.5: 24.40625, 1.5: 15.53125, 2.0: 20.78125, 1.0: 11.28125}[h]
    if len(up_h) == 3:
        is_short = abs(up_h[2] - (h + save_h + 0.25)) < 1e-9
        return 7 * h + 1.75 if is_short else 6.75 * h + 1.46875
    if work_h == 5.5 * h and place == 2.5:
        return 6 * h + 1.125
    if work_h == 5.5 * h and place == 2:
        return 5.5 * h + 1.0625
    if work_h == 5.5 * h:
        return 6.5 * h + 1.125 if place > 1.7 else 5.5 * h + 1.3125
    if work_h == 4.75 * h:
        return 5.25 * h + 0.9375
    return 2.5 * h + 0.25 if work_h == 2.5 * h else 2 * h + 0.71875


def expected_h(work_h, interval_h, save_h, restart_h, mean_h):
    return 0.0


def best_interval(save_h, restart_h, mean_h):
    return 0.0
