"""MLUExtension and BuildExtension, building for the emulated chip. python/extensions must be on PYTHONPATH: `starbridge verify` sees to it."""
import starbridge_extensions as _extensions

_classes = _extensions.make_setup_classes("bang")
MLUExtension = _classes["extension"]
BuildExtension = _classes["BuildExtension"]
