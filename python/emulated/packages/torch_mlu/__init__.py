"""StarBridge's emulated stand-in for the Cambricon plug-in; nothing here is Cambricon's code."""
import torch  # noqa: F401  (may already bring this module in, through its entry point)

from starbridge_emulated.setup import set_up as _set_up

mlu = _set_up("mlu")
__version__ = torch.__version__.split("+")[0] + "+emulated"
