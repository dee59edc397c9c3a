# must lose: steady
def expected_h(work_h, interval_h, save_h, restart_h, mean_h):
    piece = math.exp((interval_h + save_h) / mean_h) - 1
    return mean_h * math.exp(restart_h / mean_h) * piece * work_h / interval_h


def best_interval(save_h, restart_h, mean_h):
    guess = math.sqrt(2 * save_h * mean_h)
    tried = [guess * 1.01**k for k in range(-400, 200)]
    return min(tried, key=lambda one: expected_h(1, one, save_h, restart_h, mean_h))


def run_h(up_h, work_h, interval_h, save_h, restart_h):
    total = saved = 0.0
    for place, up in enumerate([*up_h, math.inf]):
        now = restart_h if place else 0.0
        while work_h - saved > interval_h and now + interval_h + save_h <= up:
            now += interval_h + save_h
            saved += interval_h
        left = work_h - saved
        if left <= interval_h and now + left <= up and saved:
            break
        total += up
    return total + now + left
