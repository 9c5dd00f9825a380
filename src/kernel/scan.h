// Scan: the kernels of CUDA, BANG C and Ascend C sources, their launches, what they use, and what each would need on another
// chip. From the words of the text; nothing is compiled. Plain values; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace starbridge::kernel {

// What a feature asks of a port. kRestructure: the order of the work changes. kNone: the chip has nothing of the kind.
enum class Effort { kSame, kRewrite, kRestructure, kNone };
std::string_view to_string(Effort effort);

struct Need {
  std::string_view target;  // machine: "cuda", "bang", "ascend"
  Effort effort;
  base::Text how;
};

struct Feature {
  std::string_view machine;
  std::string_view id;
  base::Text title;
  std::vector<std::string_view> words;
  std::vector<Need> needs;
};
const std::vector<Feature>& kernel_features();

struct ScannedKernel {
  std::string name;
  std::string file;
  int line = 0;
  int line_count = 0;
  std::string_view machine;
  bool is_template = false;
  std::vector<std::string_view> features;  // ids, of the kernel and the functions it calls within the scanned sources
};

struct ScannedLaunch {
  std::string kernel;
  std::string file;
  int line = 0;
  std::vector<std::string> arguments;  // between <<< and >>>, as written
};

struct ScanResult {
  std::vector<ScannedKernel> kernels;  // by file and line
  std::vector<ScannedLaunch> launches;
  std::map<std::string_view, std::map<std::string_view, int>> features;  // machine -> feature -> uses
  int file_count = 0;
  int device_line_count = 0;

  bool empty() const { return kernels.empty() && launches.empty(); }
};

// A file, or every source of a folder and those below it. Errors: base.file_not_found, base.io_failed;
// kernel.no_kernel_source when no kernel and no launch is there.
base::Result<ScanResult> scan_kernels(const std::string& path);
// One text; `name` stands in the result. For tests and for callers that hold the bytes.
ScanResult scan_kernel_text(std::string_view text, const std::string& name, std::string_view machine);

}  // namespace starbridge::kernel
