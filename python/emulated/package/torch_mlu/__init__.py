"""Emulated torch_mlu: brings the emulated device up and stands for its module."""

import starbridge_device

starbridge_device.load("mlu")
