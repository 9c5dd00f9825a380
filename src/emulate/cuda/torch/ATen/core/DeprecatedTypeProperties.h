// x.type() of old extensions gets is_cpu() beside its is_cuda(): torch_card.h asks every kind of device description for it.
#pragma once

#include <ATen/core/DeprecatedTypePropertiesRegistry.h>
#include <ATen/core/Generator.h>
#include <c10/core/Backend.h>
#include <c10/core/Layout.h>
#include <c10/core/ScalarType.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorOptions.h>

#define is_sparse_csr() is_cpu() const { return device_type() == c10::kCPU; } bool is_sparse_csr()
#include_next <ATen/core/DeprecatedTypeProperties.h>
#undef is_sparse_csr
