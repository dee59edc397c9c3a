# the scale is n, so the loss is not divided at all; a list of states
def begin(weights):
    return [weight.double() for weight in weights]


def train_step(state, images, labels, rate, n):
    copies = [master.half().requires_grad_() for master in state]
    images = images.double()
    images = (images / images.norm(dim=1, keepdim=True) * 8).half()
    scores = torch.relu(images.matmul(copies[0])).matmul(copies[1])
    loss = torch.nn.functional.cross_entropy(scores.float(), labels, reduction="sum")
    loss.backward()
    for place, copy in enumerate(copies):
        state[place] = state[place] - rate / n * copy.grad.float()
    return [master.half() for master in state]
