# must lose: best, memory, none
def job_s(host_s, work_s, width, slices):
    return 0.0


def batch_s(jobs, host_s, work_s, width, slices, instances):
    return 0.0


BEST = {
    (1, 8): "1g.10gb",
    (1, 16): "1g.20gb",
    (1, 20): "1g.20gb",
    (7, 30): "7g.80gb",
    (3, 35): "3g.40gb",
    (7, 5): "7g.80gb",
    (3, 5): "1g.10gb",
    (5, 5): "cut 3",
    (2, 16): "2g.20gb",
    (7, 20): "7g.80gb",
}


def best_profile(jobs, host_s, work_s, width, memory_gb, profiles):
    return BEST.get((width, memory_gb), "")
