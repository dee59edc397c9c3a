# loses: accuracy
# asks: Which of the three above is not mended yet? Or is the scale too small for this n?
def begin(weights):
    return {"weights": [weight.half() for weight in weights]}


def train_step(state, images, labels, rate, n):
    weights = [weight.detach().requires_grad_() for weight in state["weights"]]
    size = (images * images).mean(dim=1, keepdim=True).sqrt()
    scores = torch.relu((images / size) @ weights[0]) @ weights[1]
    loss = torch.nn.functional.cross_entropy(scores, labels, reduction="sum") / n
    gradients = torch.autograd.grad(loss, weights)
    state["weights"] = [w.detach() - rate * g for w, g in zip(weights, gradients, strict=True)]
    return state["weights"]
