# Without copies is with copies of nothing.
def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    return break_even_with_copies(launch_s, cpu_elements_per_s, gpu_elements_per_s, 1.0, 0.0)


def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    device_s = 1 / gpu_elements_per_s + bytes_per_element / link_bytes_per_s
    host_s = 1 / cpu_elements_per_s
    if device_s >= host_s:
        return np.inf
    return int(launch_s / (host_s - device_s)) + 1
