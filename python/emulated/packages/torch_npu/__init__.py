"""StarBridge's emulated stand-in for the Ascend plug-in; nothing here is Huawei's code."""
import torch  # noqa: F401  (may already bring this module in, through its entry point)

from starbridge_emulated.setup import set_up as _set_up

npu = _set_up("npu")
__version__ = torch.__version__.split("+")[0] + "+emulated"

from torch_npu import ops as _ops  # noqa: E402

for _name in _ops.__all__:
    globals()[_name] = getattr(_ops, _name)
