"""Loaded by Python at start-up when python/reference is on PYTHONPATH: prepares the reference run (see starbridge_reference.py).

A sitecustomize of the user's own, further down the path, is still run.
"""

import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if os.environ.get("STARBRIDGE_REFERENCE") == "1":
    sys.path += [os.path.join(os.path.dirname(_here), folder) for folder in ("hooks", "extensions")]
    import starbridge_reference

    starbridge_reference.install()

    import starbridge_extensions

    starbridge_extensions.install()

# Only what comes later: one that looked over the whole path would find the one that called it, and that one this, without end.
_paths = [os.path.abspath(entry or ".") for entry in sys.path]
_rest = sys.path[_paths.index(_here) + 1 :] if _here in _paths else []
_other = importlib.machinery.PathFinder.find_spec("sitecustomize", _rest)
if _other is not None and _other.loader is not None:
    _module = importlib.util.module_from_spec(_other)
    _other.loader.exec_module(_module)
