# jobs dealt out to instances
def job_s(host_s, work_s, width, slices):
    return host_s + work_s * max(1, width / slices)


def batch_s(jobs, host_s, work_s, width, slices, instances):
    ends = [0] * instances
    for job in range(jobs):
        ends[job % instances] += job_s(host_s, work_s, width, slices)
    return max(ends)


def best_profile(jobs, host_s, work_s, width, memory_gb, profiles):
    best, least = "", math.inf
    for name, slices, gb, instances in profiles:
        if gb < memory_gb:
            continue
        time = batch_s(jobs, host_s, work_s, width, slices, instances)
        if time < least:
            best, least = name, time
    return best
