# Jobs handed out one by one to the instance that is free first.
import heapq


def job_s(host_s, work_s, width, slices):
    used = slices if slices < width else width
    return host_s + work_s / (used / width)


def batch_s(jobs, host_s, work_s, width, slices, instances):
    free = [0.0] * instances
    for _ in range(jobs):
        heapq.heappush(free, heapq.heappop(free) + job_s(host_s, work_s, width, slices))
    return max(free)


def best_profile(jobs, host_s, work_s, width, memory_gb, profiles):
    best, best_s = "", float("inf")
    for name, slices, own_gb, instances in profiles:
        time_s = batch_s(jobs, host_s, work_s, width, slices, instances)
        if own_gb >= memory_gb and time_s < best_s * (1 - 1e-9):
            best, best_s = name, time_s
    return best
