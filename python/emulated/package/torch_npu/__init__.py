"""Emulated torch_npu: brings the emulated device up and stands for its module."""

import starbridge_device

starbridge_device.load("npu")
