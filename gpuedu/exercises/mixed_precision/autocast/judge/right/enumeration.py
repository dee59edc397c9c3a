# texts from an enumeration, and two classes instead of one chance
from enum import Enum


class Runs(str, Enum):
    HALF = "float16"
    SINGLE = "float32"
    DOUBLE = "float64"


runs_in = {
    "x @ w": Runs.HALF,
    "torch.relu(x @ w)": Runs.HALF,
    "h + x": Runs.SINGLE,
    "h * h": Runs.HALF,
    "h ** 2": Runs.SINGLE,
    "h.sum()": Runs.SINGLE,
    "h.mean()": Runs.HALF,
    "torch.exp(h)": Runs.SINGLE,
    "torch.softmax(h, 1)": Runs.SINGLE,
    "F.layer_norm(h, (8,)) @ w": Runs.HALF,
    "F.cross_entropy(h, y)": Runs.SINGLE,
    "x.double() @ w.double()": Runs.DOUBLE,
}


def safe_loss(x, w1, w2, yes):
    h = torch.relu(torch.einsum("ni,ij->nj", x, w1))
    size = torch.linalg.vector_norm(h.float(), dim=1, keepdim=True) / h.shape[1] ** 0.5
    z = torch.nn.functional.linear(h / (size + 1e-5), w2.T).float()
    both = torch.log_softmax(torch.cat([torch.zeros_like(z), z], dim=1), dim=1)
    return -(yes * both[:, 1:] + (1 - yes) * both[:, :1]).mean()
