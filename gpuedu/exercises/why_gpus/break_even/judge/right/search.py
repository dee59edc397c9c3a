# Doubles n until the GPU wins, then halves the interval.
def first_win(cpu_s, gpu_s):
    high = 1
    while not cpu_s(high) > gpu_s(high):
        high *= 2
        if high > 2**60:
            return math.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if cpu_s(middle) > gpu_s(middle):
            high = middle
        else:
            low = middle
    return high


def break_even(launch_s, cpu_elements_per_s, gpu_elements_per_s):
    return first_win(lambda n: n / cpu_elements_per_s, lambda n: launch_s + n / gpu_elements_per_s)


def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    return first_win(
        lambda n: n / cpu_elements_per_s,
        lambda n: launch_s + n / gpu_elements_per_s + n * bytes_per_element / link_bytes_per_s,
    )
