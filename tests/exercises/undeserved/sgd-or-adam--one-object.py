# must lose: sgd, momentum, averages, eps, decay
def _step(kind, weights, gradient, state, **options):
    made = kind([torch.nn.Parameter(weights)], **options)
    one = made.param_groups[0]["params"][0]
    one.data, one.grad = weights, gradient
    if state:
        made.state[one] = dict(state)
    made.step()
    state.update({name: value for name, value in made.state[one].items() if value is not None})
    one.grad = None


def sgd(weights, gradient, state, lr, momentum):
    _step(torch.optim.SGD, weights, gradient, state, lr=lr, momentum=momentum)


def adam(weights, gradient, state, lr, beta1, beta2, eps):
    _step(torch.optim.Adam, weights, gradient, state, lr=lr, betas=(beta1, beta2), eps=eps)


def adamw(weights, gradient, state, lr, beta1, beta2, eps, decay):
    _step(
        torch.optim.AdamW,
        weights,
        gradient,
        state,
        lr=lr,
        betas=(beta1, beta2),
        eps=eps,
        weight_decay=decay,
    )
