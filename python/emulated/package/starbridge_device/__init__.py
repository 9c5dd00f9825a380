"""The emulated PyTorch device: Ascend NPU or Cambricon MLU cards that run on the CPU.

It is configured by the environment variable STARBRIDGE_DEVICE_PROFILE (see docs/emulated-device.md) and shows up as torch.npu with the
package torch_npu, or as torch.mlu with torch_mlu. Nothing here is a real card, and everything that prints says so.
"""

from __future__ import annotations

import os
import sys

_loaded = False


def autoload() -> None:
    """Entry point of torch.backends: torch calls it at the end of its own import."""
    if os.environ.get("STARBRIDGE_DEVICE_PROFILE"):
        load()


def load(wanted: str | None = None) -> None:
    """Brings the device up once. `wanted` is the backend that the caller imports, "npu" or "mlu"."""
    global _loaded
    from starbridge_device.profile import Profile

    if not os.environ.get("STARBRIDGE_DEVICE_PROFILE"):
        raise ImportError(
            "STARBRIDGE_DEVICE_PROFILE is not set, so it is not known which card to emulate. "
            "Use `starbridge verify`, or write a profile with `starbridge device-profile CHIP`."
        )
    profile = Profile.read(os.environ["STARBRIDGE_DEVICE_PROFILE"])
    if wanted is not None and profile.backend != wanted:
        raise ImportError(f"the emulated card is {profile.chip_name}, which has no torch_{wanted}; its plug-in is torch_{profile.backend}")
    if _loaded:
        return
    _loaded = True
    # torch must be complete before the extension and the device module refer to it.
    import torch

    from starbridge_device import bring_up

    bring_up.bring_up(torch, profile)
    sys.modules[f"torch_{profile.backend}"]  # made by bring_up; a missing one is a fault of this package
