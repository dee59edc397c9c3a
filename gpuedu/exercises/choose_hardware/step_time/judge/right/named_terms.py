# a named tuple of four times, and the largest of an array
from collections import namedtuple

import numpy as np

Terms = namedtuple("Terms", "compute memory link launch")


def terms(flop, moved_bytes, gradient_bytes, launches, device, devices):
    return Terms(
        compute=flop / device["flop_per_s"],
        memory=moved_bytes / device["bytes_per_s"],
        link=2 * (1 - 1 / devices) * gradient_bytes / device["link_bytes_per_s"],
        launch=launches * device["launch_s"],
    )


def limit(compute, memory, link, launch):
    times = Terms(compute, memory, link, launch)
    return np.array(Terms._fields)[np.argmax(times)]
