// Chip: a model of accelerator card, and Stack: the software that drives it. Plain values; any thread.
//
// What other rooms use:
//   port    chip.stack->torch_device(), plugin_module(), dist_backend(), keeps_torch_cuda(), visible_devices_env(),
//           chip.dtype_status("bfloat16"), chip.stack->cuda_extension()
//   sched   chip.memory_bytes(), peak_tflops("bf16"), memory_gbps(), link_gbps(), power_watts_max(), slurm_gres(),
//           kubernetes_resource(), vendor, chip.stack->backend
//   verify  device_profile(...) of catalog/device_profile.h
// An unknown figure is absent (std::nullopt); nothing is guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/fact.h"

namespace starbridge::catalog {

// How CUDA extensions of a project (.cu files, cpp_extension) reach a stack.
enum class CudaExtension {
  kAsIs,       // compiled unchanged
  kRecompile,  // the vendor's compiler takes CUDA or HIP source
  kRewrite,    // kernels must be written anew in the vendor's language
};

// Driver, toolkit and framework of one vendor.
struct StackVersion {
  std::string torch;    // "2.7.1"
  std::string plugin;   // "2.7.1.post2"; empty when torch itself is the vendor's build
  std::string toolkit;  // "CANN 8.5.0"; empty when not known
  std::string python;   // "3.9-3.13"; empty when not known
  bool is_recommended = false;
  std::string source;
  Confidence confidence = Confidence::kAssumed;
};

struct Stack {
  std::string id;       // "cann", "neuware", "cuda"
  std::string name;     // "Huawei CANN"
  std::string vendor;   // "huawei"
  std::string backend;  // key of the support tables: cuda, npu, mlu, musa, rocm, corex, maca, gcu, supa
  Facts facts;
  Facts dtypes;
  std::vector<StackVersion> versions;  // as written: newest toolkit first

  std::string torch_device() const;                  // "npu"; "cuda" where the namespace is kept
  std::optional<std::string> plugin_module() const;  // "torch_npu"
  std::string dist_backend() const;                  // "hccl"
  bool keeps_torch_cuda() const;                     // true: no rewriting of device names is wanted
  CudaExtension cuda_extension() const;
  std::string visible_devices_env() const;                           // of the process
  std::optional<std::string> container_visible_devices_env() const;  // of the container runtime
  std::optional<std::string> kernel_language() const;                // "ascendc", "bangc", "cuda", "hip"

  // The plug-in and toolkit to install for a PyTorch version "2.7.1" or "2.7": the row of that release (or of the newest patch
  // of that minor version) with the newest toolkit, as listed. nullptr: this stack lists none; see versions for what it has.
  const StackVersion* version_for(std::string_view torch_version) const;
  // What to use when the project does not say: the recommended row, else the first; nullptr when none is listed.
  const StackVersion* version_to_use() const;
};

struct Chip {
  std::string id;  // "ascend-910b3"
  std::string name;
  std::string name_zh;
  std::string vendor;  // "huawei"
  std::vector<std::string> aliases;
  const Stack* stack = nullptr;  // owned by the Catalog; never null in a loaded one
  Facts facts;
  Facts dtypes;  // overrides of the stack's

  std::optional<std::int64_t> memory_bytes() const { return facts.integer("memory_bytes"); }
  std::optional<double> memory_gbps() const { return facts.number("memory_gbps"); }
  // Dense peak in TFLOPS (TOPS for int8 and int4); dtype: fp64, fp32, tf32, bf16, fp16, fp8, int8, int4.
  // A 16-bit rate that has no figure of its own is absent even when its sibling's is known.
  std::optional<double> peak_tflops(std::string_view dtype) const;
  std::optional<double> link_gbps() const { return facts.number("link_gbps"); }  // between cards of one server, per card
  std::optional<double> power_watts_max() const { return facts.number("power_watts_max"); }
  std::optional<double> power_watts_idle() const { return facts.number("power_watts_idle"); }
  std::optional<std::string> slurm_gres() const { return facts.text("slurm_gres"); }  // "npu:ascend910b3"
  // Extended resource of the device plug-in `via` ("hami", "mindcluster"), or the chosen one when `via` is empty.
  std::optional<std::string> kubernetes_resource(std::string_view via = {}) const;
  // "supported", "limited" or "unsupported" for a torch dtype name ("bfloat16", "float64"); "supported" when nothing is said.
  std::string dtype_status(std::string_view torch_dtype) const;
  // The fact behind dtype_status: the chip's, else the stack's, else nullptr.
  const Fact* dtype_fact(std::string_view torch_dtype) const;
  // Names of dtypes whose status is "unsupported", sorted.
  std::vector<std::string> dtypes_unsupported() const;
};

}  // namespace starbridge::catalog
