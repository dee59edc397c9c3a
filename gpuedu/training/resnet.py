"""A small residual network for small pictures."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions that the input also bypasses: (N, C, H, W) to (N, D, h, w).

    With ``stride`` 2 the picture is halved; then, or if the channels change, a 1x1 convolution
    brings the input to the same shape. Source: He et al., "Deep Residual Learning for Image
    Recognition", 2015, section 3.
    """

    def __init__(self, channels: int, wider: int, *, stride: int = 1) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, wider, 3, stride=stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(wider)
        self.second = nn.Conv2d(wider, wider, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(wider)
        is_same = stride == 1 and channels == wider
        self.shortcut = (
            nn.Identity() if is_same else nn.Conv2d(channels, wider, 1, stride=stride, bias=False)
        )

    def forward(self, images: Tensor) -> Tensor:
        """The block's output."""
        inner = functional.relu(self.first_norm(self.first(images)))
        inner = self.second_norm(self.second(inner))
        return functional.relu(inner + self.shortcut(images))


class SmallResNet(nn.Module):
    """Pictures (N, channels, H, W) to scores (N, classes), for H and W from 8 up.

    A 3x3 convolution, three residual blocks of ``width``, 2 ``width`` and 4 ``width`` channels, of
    which the last two halve the picture, the mean over the picture, and a linear layer.

    Args:
        channels: of a picture: 1 for gray, 3 for color.
        classes: scores to give.
        width: channels of the first block.
        first_stride: 2 halves the picture at once: a quarter of the work.

    >>> import torch
    >>> tuple(SmallResNet(3, 12, width=4)(torch.zeros(2, 3, 32, 32)).shape)
    (2, 12)
    """

    def __init__(
        self, channels: int, classes: int, *, width: int = 16, first_stride: int = 1
    ) -> None:
        super().__init__()
        self.stem = nn.Conv2d(channels, width, 3, stride=first_stride, padding=1, bias=False)
        self.stem_norm = nn.BatchNorm2d(width)
        self.blocks = nn.Sequential(
            ResidualBlock(width, width),
            ResidualBlock(width, 2 * width, stride=2),
            ResidualBlock(2 * width, 4 * width, stride=2),
        )
        self.head = nn.Linear(4 * width, classes)

    def forward(self, images: Tensor) -> Tensor:
        """Scores (N, classes)."""
        features = functional.relu(self.stem_norm(self.stem(images)))
        features = self.blocks(features)
        return self.head(features.mean(dim=(2, 3)))
