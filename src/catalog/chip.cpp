#include "catalog/chip.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace starbridge::catalog {
namespace {

// The loader refuses stacks without these facts.
std::string required_text(const Facts& facts, std::string_view name) {
  std::optional<std::string> value = facts.text(name);
  SB_CHECK(value.has_value());
  return *value;
}

}  // namespace

std::string Stack::torch_device() const { return required_text(facts, "torch_device"); }
std::optional<std::string> Stack::plugin_module() const { return facts.text("plugin_module"); }
std::string Stack::dist_backend() const { return required_text(facts, "dist_backend"); }
bool Stack::keeps_torch_cuda() const { return required_text(facts, "keeps_torch_cuda") == "true"; }
std::string Stack::visible_devices_env() const { return required_text(facts, "visible_devices_env"); }
std::optional<std::string> Stack::container_visible_devices_env() const { return facts.text("container_visible_devices_env"); }
std::optional<std::string> Stack::kernel_language() const { return facts.text("kernel_language"); }

const StackVersion* Stack::version_for(std::string_view torch_version) const {
  std::string minor = std::string(torch_version) + ".";
  const StackVersion* of_minor = nullptr;
  for (const StackVersion& version : versions) {
    if (version.torch == torch_version) return &version;
    bool is_of_minor = !torch_version.empty() && version.torch.compare(0, minor.size(), minor) == 0;
    if (is_of_minor && of_minor == nullptr) of_minor = &version;
  }
  return of_minor;
}

const StackVersion* Stack::version_to_use() const {
  for (const StackVersion& version : versions) {
    if (version.is_recommended) return &version;
  }
  return versions.empty() ? nullptr : &versions.front();
}

CudaExtension Stack::cuda_extension() const {
  std::string word = required_text(facts, "cuda_extension");
  if (word == "as_is") return CudaExtension::kAsIs;
  return word == "recompile" ? CudaExtension::kRecompile : CudaExtension::kRewrite;
}

std::optional<double> Chip::peak_tflops(std::string_view dtype) const {
  std::string stem = "peak_" + std::string(dtype);
  std::optional<double> flops = facts.number(stem + "_tflops");
  return flops.has_value() ? flops : facts.number(stem + "_tops");
}

std::optional<std::string> Chip::kubernetes_resource(std::string_view via) const {
  const Fact* fact = facts.find("kubernetes_resource");
  if (fact == nullptr) return std::nullopt;
  if (via.empty()) return fact->chosen().value;
  for (const Observation& observation : fact->observations) {
    if (observation.via == via) return observation.value;
  }
  return std::nullopt;
}

const Fact* Chip::dtype_fact(std::string_view torch_dtype) const {
  if (const Fact* own = dtypes.find(torch_dtype)) return own;
  return stack == nullptr ? nullptr : stack->dtypes.find(torch_dtype);
}

std::string Chip::dtype_status(std::string_view torch_dtype) const {
  const Fact* fact = dtype_fact(torch_dtype);
  return fact == nullptr ? "supported" : fact->chosen().value;
}

std::vector<std::string> Chip::dtypes_unsupported() const {
  std::set<std::string> names;
  auto collect = [&](const Facts& rules) {
    for (const Fact& fact : rules.all()) {
      if (dtype_status(fact.name) == "unsupported") names.insert(fact.name);
    }
  };
  collect(dtypes);
  if (stack != nullptr) collect(stack->dtypes);
  return {names.begin(), names.end()};
}

}  // namespace starbridge::catalog
