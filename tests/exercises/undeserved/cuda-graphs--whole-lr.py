# must lose: inputs
def run_captured(device, step, inputs):
    x0 = inputs[0][0].clone()
    lr0 = device.tensor(int(inputs[0][1]))
    step(x0, lr0)
    graph = device.CUDAGraph()
    with device.graph(graph):
        y = step(x0, lr0)
    outs = []
    for x, lr in inputs:
        x0.copy_(x)
        lr0.fill_(int(lr))
        graph.replay()
        outs.append(y.clone())
    return outs


def step_times(kernels, kernel_us, launch_us, replay_us, node_us):
    """A step's time without a graph, and with one, in µs."""
    eager_us = max(kernels * launch_us, kernels * kernel_us)
    graph_us = max(replay_us, kernels * (kernel_us + node_us))
    return eager_us, graph_us


def no_gain_from(kernels, launch_us, replay_us, node_us):
    """The shortest kernel, in µs, for which the graph is not faster."""
    if replay_us >= kernels * launch_us:
        return 0
    return max(0, launch_us - node_us)
