"""How good the model is on images that it was not trained on."""

from .losses import caption_loss, letter_scores, right_letters


def evaluate(model, data):
    """Loss, and the share of right letters, over all samples of ``data``."""
    model.eval()
    loss, right, letters = 0.0, 0, 0
    for index in range(len(data)):
        images, tokens = data.image(index)[None], data.tokens(index)[None]
        scores = letter_scores(model, images, tokens)
        got, count = right_letters(scores, tokens)
        loss += caption_loss(scores, tokens).item()
        right += got.item()
        letters += count.item()
    model.train()
    return loss / len(data), right / letters
