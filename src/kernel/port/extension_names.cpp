// Names of PyTorch's CUDA side in host code, and what stands for them in torch_mlu. Comments and text stay.
#include <algorithm>
#include <map>
#include <regex>

#include "kernel/port/extension.h"

namespace starbridge::kernel::port {

namespace {

// Whole names, qualified as they are written.
const std::map<std::string, std::string, std::less<>>& names() {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"AT_CUDA_CHECK", "PORT_CHECK"},
      {"AutogradCUDA", "AutogradPrivateUse1"},
      {"AutocastCUDA", "AutocastPrivateUse1"},
      {"C10_CUDA_CHECK", "PORT_CHECK"},
      {"C10_CUDA_KERNEL_LAUNCH_CHECK", "PORT_LAUNCH_CHECK"},
      {"CUDAGuard", "torch_mlu::mlu::MLUGuard"},
      {"CUDAStream", "torch_mlu::MLUStream"},
      {"OptionalCUDAGuard", "torch_mlu::mlu::OptionalMLUGuard"},
      {"MaybeSetDevice", "port::set_device"},
      {"THCCeilDiv", "port::ceil_div"},
      {"THCudaCheck", "PORT_CHECK"},
      {"ATenCeilDiv", "port::ceil_div"},
      {"getCurrentCUDAStream", "torch_mlu::getCurrentMLUStream"},
      {"getDefaultCUDAStream", "torch_mlu::getDefaultMLUStream"},
      {"getCurrentDeviceProperties", "port::current_properties"},
      {"is_cuda", "is_privateuseone"},
      {"kCUDA", "kPrivateUse1"},
  };
  return table;
}

bool is_word(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_cuda_header(const std::string& name) {
  static const std::regex pattern(
      R"(^(ATen/cuda/|c10/cuda/|ATen/native/cuda/|THC/|cuda|driver_types|device_launch|cooperative_groups).*)");
  return std::regex_match(name, pattern);
}

class Names {
 public:
  explicit Names(const std::string& source) : source_(source) {}

  std::vector<HostEdit> run() {
    for (at_ = 0; at_ < source_.size();) {
      const char c = source_[at_];
      if (c == '/' && at_ + 1 < source_.size() && (source_[at_ + 1] == '/' || source_[at_ + 1] == '*'))
        comment();
      else if (c == '"' || c == '\'')
        literal(c);
      else if (c == '#')
        directive();
      else if (isdigit(static_cast<unsigned char>(c)) != 0)
        while (at_ < source_.size() && (is_word(source_[at_]) || source_[at_] == '.' || source_[at_] == '\'')) ++at_;
      else if (is_word(c))
        name();
      else
        ++at_;
    }
    return std::move(edits_);
  }

 private:
  void comment() {
    const std::size_t end = source_[at_ + 1] == '/' ? source_.find('\n', at_) : source_.find("*/", at_ + 2);
    at_ = end == std::string::npos ? source_.size() : end + (source_[at_ + 1] == '/' ? 0 : 2);
  }
  void literal(char quote) {
    for (++at_; at_ < source_.size() && source_[at_] != quote && source_[at_] != '\n'; ++at_) {
      if (source_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, source_.size());
  }
  void directive() {
    static const std::regex include(R"(^#[ \t]*include[ \t]*[<"]([^>"]+)[>"][^\n]*\n?)");
    std::smatch match;
    const std::string line = source_.substr(at_, source_.find('\n', at_) - at_ + 1);
    if (!std::regex_search(line, match, include)) {
      ++at_;
      return;
    }
    if (is_cuda_header(match[1])) {
      // The first of them makes room for the one that stands for all.
      edits_.push_back({at_, at_ + line.size(), has_header_ ? "" : "#include \"starbridge_port_torch.h\"\n"});
      has_header_ = true;
    }
    at_ += line.size();
  }
  // A name with what qualifies it: "at::cuda::CUDAGuard". Macros that TORCH_LIBRARY_IMPL takes are single words.
  void name() {
    const std::size_t begin = at_;
    std::size_t last = at_;
    for (;;) {
      while (at_ < source_.size() && is_word(source_[at_])) ++at_;
      if (source_.compare(at_, 2, "::") != 0 || at_ + 2 >= source_.size() || !is_word(source_[at_ + 2])) break;
      at_ += 2;
      last = at_;
    }
    const std::string whole = source_.substr(begin, at_ - begin), word = source_.substr(last, at_ - last);
    const std::string qualifier = source_.substr(begin, last - begin);
    if (word == "CUDA" && is_key(qualifier)) return add(last, "PrivateUse1");
    auto found = names().find(word);
    if (found == names().end()) return;
    // What belongs to a namespace of CUDA loses it; members and enumerators keep what stands before them.
    const bool is_whole = found->second.find("::") != std::string::npos;
    add(is_whole ? begin : last, found->second);
  }
  bool is_key(const std::string& qualifier) const {
    if (qualifier.find("DeviceType::") != std::string::npos || qualifier.find("DispatchKey::") != std::string::npos ||
        qualifier.find("Backend::") != std::string::npos)
      return true;
    // The second word of TORCH_LIBRARY_IMPL(library, CUDA, m).
    const std::size_t open = source_.rfind('(', at_);
    if (open == std::string::npos) return false;
    const std::size_t start = source_.find_last_not_of(" \t", open == 0 ? 0 : open - 1);
    static const std::string macro = "TORCH_LIBRARY_IMPL";
    return start != std::string::npos && start + 1 >= macro.size() &&
           source_.compare(start + 1 - macro.size(), macro.size(), macro) == 0;
  }
  void add(std::size_t begin, const std::string& text) { edits_.push_back({begin, at_, text}); }

  const std::string& source_;
  std::size_t at_ = 0;
  bool has_header_ = false;
  std::vector<HostEdit> edits_;
};

}  // namespace

std::vector<HostEdit> extension_edits(const std::string& source) { return Names(source).run(); }

}  // namespace starbridge::kernel::port
