"""What `import torch` runs through the torch.backends entry point: nothing, unless the environment asks for it."""
from __future__ import annotations

import os

SWITCH = "STARBRIDGE_TORCH"  # "1": programs of this process and its children are intercepted


def load() -> None:
    if os.environ.get(SWITCH) == "1":
        import starbridge_torch

        starbridge_torch.activate()
