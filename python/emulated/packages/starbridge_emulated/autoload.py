"""What `import torch` runs through the torch.backends entry point: the device appears only when a profile is set."""
from __future__ import annotations

import importlib
import os

PROFILE_VARIABLE = "STARBRIDGE_DEVICE_PROFILE"


def load() -> None:
    if not os.environ.get(PROFILE_VARIABLE):
        return
    from starbridge_emulated import profile

    importlib.import_module("torch_" + profile.current().backend)
