# loses: budget
class Solved(torch.nn.Module):
    def __init__(self, weights, scores):
        super().__init__()
        self.weights, self.scores = weights, scores

    def features(self, images):
        flat = images.flatten(1)
        flat = (flat - flat.mean(1, keepdim=True)) / flat.std(1, keepdim=True)
        return torch.relu(flat @ self.weights)

    def forward(self, images):
        return self.features(images) @ self.scores


def train_model(images, labels):
    model = Solved(torch.randn(64, 512) / 8, None)
    seen = model.features(images)
    wanted = torch.nn.functional.one_hot(labels, 10).float()
    model.scores = torch.linalg.solve(seen.T @ seen + 300 * torch.eye(512), seen.T @ wanted)
    return model
