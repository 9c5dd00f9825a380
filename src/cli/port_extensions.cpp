#include "cli/port_extensions.h"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "base/files.h"
#include "cli/extension_scripts.h"
#include "kernel/port/extension.h"
#include "kernel/port/host.h"
#include "pool/emulated_device.h"

namespace starbridge::cli {

namespace fs = std::filesystem;
using base::text;
using port::Edit;

namespace {

constexpr std::size_t kHeaderFoldersMax = 64;

bool is_of_pytorch(const std::string& content) {
  static const std::regex pattern(R"(#\s*include\s*[<"](torch|ATen|c10)/)");
  return std::regex_search(content, pattern);
}
bool is_host_source(const fs::path& path) {
  static const std::set<std::string> endings = {".cpp", ".cc", ".cxx", ".h", ".hpp", ".hh", ".cuh"};
  return endings.count(path.extension().string()) > 0;
}

class Extensions {
 public:
  Extensions(port::ProjectReport& project, const port::OnProgress& on_progress)
      : project_(project), header_folders_(header_folders()), on_progress_(on_progress) {}

  base::Status run(port::Context& context) {
    const std::set<std::string> sources = sources_of_pytorch();
    finds_by_pattern_ = searches_for_sources();
    std::map<std::string, kernel::port::ExtensionPort> made;
    std::map<std::string, base::Error> refused;
    std::size_t done = 0;
    for (const std::string& source : sources) {
      base::Result<kernel::port::ExtensionPort> port = port_source(source);
      if (port.ok())
        made.emplace(source, std::move(port).value());
      else
        refused.emplace(source, std::move(port).error());
      if (on_progress_) on_progress_(++done, sources.size());
    }
    if (!made.empty()) {
      context.ports_kernels = true;
      SB_TRY(project_, port::scan_project(project_.root, context, {}));
    }
    for (const auto& [source, error] : refused) refuse(source, error);
    if (made.empty()) return {};
    for (const auto& [source, port] : made) add(source, port);
    host_code();
    build_scripts();
    support();
    for (auto& [path, edits] : edits_) add_edits(path, std::move(edits));
    std::sort(project_.files.begin(), project_.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    port::ChipReport& chip = project_.chips[0];
    if (chip.verdict == port::Verdict::kNeedsWork && chip.count(port::Severity::kWork) == 0)
      chip.verdict = port::Verdict::kRunsAfterPort;
    return {};
  }

 private:
  // Those with kernels or launches that read PyTorch's headers and were not ported before.
  std::set<std::string> sources_of_pytorch() const {
    std::set<std::string> sources;
    auto offer = [&](const std::string& file) {
      std::set<std::string> seen;
      std::error_code error;
      const bool is_done = fs::exists(project_.root + "/" + fs::path(file).replace_extension(".mlu").string(), error);
      if (fs::path(file).extension() == ".cu" && !is_done && reads_pytorch(project_.root + "/" + file, seen))
        sources.insert(file);
    };
    for (const port::CudaKernel& kernel : project_.cuda.kernels) offer(kernel.file);
    for (const port::CudaLaunch& launch : project_.cuda.launches) offer(launch.file);
    return sources;
  }
  bool reads_pytorch(const std::string& path, std::set<std::string>& seen) const {
    if (!seen.insert(path).second) return false;
    base::Result<std::string> content = base::read_file(path);
    if (!content.ok()) return false;
    if (is_of_pytorch(*content)) return true;
    for (const std::string& include : kernel::port::quoted_includes(*content)) {
      std::vector<std::string> folders = header_folders_;
      folders.insert(folders.begin(), fs::path(path).parent_path().string());
      for (const std::string& folder : folders) {
        std::error_code error;
        const std::string file = (fs::path(folder) / include).lexically_normal().string();
        if (fs::is_regular_file(file, error) && reads_pytorch(file, seen)) return true;
      }
    }
    return false;
  }
  bool searches_for_sources() const {
    base::Result<std::vector<port::TreeEntry>> entries = port::walk_tree(project_.root, nullptr);
    if (!entries.ok()) return false;
    return std::any_of(entries->begin(), entries->end(), [&](const port::TreeEntry& entry) {
      if (fs::path(entry.path).filename() != "setup.py") return false;
      base::Result<std::string> content = base::read_file(project_.root + "/" + entry.path);
      return content.ok() && content->find("*.cu") != std::string::npos;
    });
  }

  // A source that is found by a pattern gets a host source which no pattern for C++ finds as well.
  std::string host_of(const std::string& source) const {
    const fs::path path(source);
    const std::string stem = path.stem().string();
    std::error_code error;
    if (finds_by_pattern_) return stem + kFoundHostEnding;
    return stem +
           (fs::exists(project_.root + "/" + (path.parent_path() / (stem + ".cpp")).string(), error) ? "_host.cpp" : ".cpp");
  }
  base::Result<kernel::port::ExtensionPort> port_source(const std::string& source) const {
    kernel::port::PortRequest request;
    request.path = project_.root + "/" + source;
    request.chip = project_.chips[0].target.chip->id;
    request.standard = "c++20";
    request.defines = {"TORCH_EXTENSION_NAME=extension", "WITH_CUDA=1"};
    request.includes = header_folders_;
    SB_TRY(request.system_includes, torch_folders());
    return kernel::port::port_extension_source(request, host_of(source));
  }

  void add(const std::string& source, const kernel::port::ExtensionPort& made) {
    const fs::path folder = fs::path(source).parent_path();
    for (const kernel::port::ExtensionFile& file : made.files) {
      const std::string name = (folder / file.path).lexically_normal().string();
      base::Result<std::string> there = base::read_file(project_.root + "/" + name);
      if (there.ok())
        edits_[name] = {{0, there->size(), file.content, kKernelPortedRule}};
      else
        project_.chips[0].new_files.push_back({name, file.content});
    }
    ported_[source] = (folder / host_of(source)).string();
    accept(source, made);
  }

  void accept(const std::string& source, const kernel::port::ExtensionPort& made) {
    for (std::vector<port::Finding>* findings : findings_of(source))
      std::erase_if(*findings, [&](const port::Finding& each) { return is_kernel_of(each, source); });
    for (const kernel::port::PortedKernel& kernel : made.report.kernels) {
      if (!kernel.is_launched || !kernel.emitted.refusal.empty()) continue;
      const int share = kernel::port::vector_share(kernel.emitted.vector_operations, kernel.emitted.thread_operations);
      add_finding(port::Severity::kInfo, source, kernel.line,
                  text("the kernel {} is ported to BANG C; vector built-ins do {} % of its arithmetic",
                       "内核 {} 已移植为 BANG C；向量内建函数承担 {}% 的算术", kernel.name, share),
                  text("starbridge verify runs it beside the original", "starbridge verify 会与原版对比运行"));
    }
    for (const kernel::port::LeftOut& each : made.left_out)
      add_finding(
          port::Severity::kWarning, source, each.place.line,
          {each.kernel + " throws when it is reached: " + each.reason.en, each.kernel + " 执行到时会报错：" + each.reason.zh},
          {});
  }
  void refuse(const std::string& source, const base::Error& error) {
    base::Place place = error.place();
    const fs::path relative = fs::path(place.file).lexically_relative(project_.root);
    if (!relative.empty() && *relative.begin() != "..") place.file = relative.string();
    const std::string at = place.empty() ? "" : place.to_string() + ": ";
    for (std::vector<port::Finding>* findings : findings_of(source)) {
      for (port::Finding& each : *findings) {
        if (!is_kernel_of(each, source)) continue;
        each.message = {each.message.en + "; not ported: " + at + error.message().en,
                        each.message.zh + "；未能移植：" + at + error.message().zh};
        if (!error.next_step().empty()) each.advice = error.next_step();
      }
    }
  }
  static bool is_kernel_of(const port::Finding& finding, const std::string& source) {
    return finding.rule == "cuda-kernel" && finding.place.file == source;
  }
  // A finding is kept with its file and with its chip.
  std::vector<std::vector<port::Finding>*> findings_of(const std::string& source) {
    return {&project_.chips[0].findings, &report_of(source).results[0].findings};
  }
  void add_finding(port::Severity severity, const std::string& source, int line, base::Text message, base::Text advice) {
    for (std::vector<port::Finding>* findings : findings_of(source))
      findings->push_back({kKernelPortedRule, severity, {source, line, 1, ""}, message, advice, "", ""});
  }

  // Bindings, and headers that both sides read.
  void host_code() {
    base::Result<std::vector<port::TreeEntry>> entries = port::walk_tree(project_.root, nullptr);
    if (!entries.ok()) return;
    std::set<std::string> folders;
    for (const auto& [source, host] : ported_) folders.insert(fs::path(source).parent_path().string());
    for (const port::TreeEntry& entry : *entries) {
      if (entry.kind != port::TreeEntry::Kind::kFile || !is_host_source(entry.path) || edits_.count(entry.path) > 0) continue;
      base::Result<std::string> content = base::read_file(project_.root + "/" + entry.path);
      if (!content.ok() || !is_of_pytorch(*content)) continue;
      std::vector<Edit> edits;
      for (const kernel::port::HostEdit& each : kernel::port::extension_edits(*content))
        edits.push_back({each.begin, each.end, each.text, kKernelPortedRule});
      if (!edits.empty()) edits_[entry.path] = std::move(edits);
    }
  }
  void build_scripts() {
    std::map<std::string, std::string> hosts;
    for (const auto& [source, host] : ported_) hosts[fs::path(source).filename().string()] = fs::path(host).filename().string();
    base::Result<std::vector<port::TreeEntry>> entries = port::walk_tree(project_.root, nullptr);
    if (!entries.ok()) return;
    for (const port::TreeEntry& entry : *entries) {
      if (entry.kind != port::TreeEntry::Kind::kFile || fs::path(entry.path).extension() != ".py") continue;
      base::Result<std::string> content = base::read_file(project_.root + "/" + entry.path);
      if (!content.ok() || content->find("cpp_extension") == std::string::npos) continue;
      std::vector<Edit> edits = source_edits(*content, hosts);
      if (!edits.empty()) edits_[entry.path] = std::move(edits);
    }
  }
  // The two headers of support, in each folder where something reads them.
  void support() {
    std::set<std::string> folders;
    for (const auto& [source, host] : ported_) folders.insert(fs::path(source).parent_path().string());
    for (const auto& [path, edits] : edits_) {
      for (const Edit& edit : edits) {
        if (edit.replacement.find("starbridge_port_torch.h") != std::string::npos)
          folders.insert(fs::path(path).parent_path().string());
      }
    }
    base::Result<std::string> root = base::installation_root();
    if (!root.ok()) return;
    for (const char* name : {"starbridge_port.h", "starbridge_cuda.h", "starbridge_port_torch.h"}) {
      base::Result<std::string> content = base::read_file(*root + "/data/kernels/" + name);
      if (!content.ok()) continue;
      for (const std::string& folder : folders)
        project_.chips[0].new_files.push_back({(fs::path(folder) / name).string(), *content});
    }
  }

  port::FileReport& report_of(const std::string& path) {
    auto found = std::find_if(project_.files.begin(), project_.files.end(),
                              [&](const port::FileReport& each) { return each.path == path; });
    if (found != project_.files.end()) return *found;
    port::FileReport report;
    report.path = path;
    report.results.resize(1);
    project_.files.push_back(std::move(report));
    return project_.files.back();
  }
  void add_edits(const std::string& path, std::vector<Edit> edits) {
    port::TargetResult& result = report_of(path).results[0];
    if (result.edits.empty()) ++project_.chips[0].edited_file_count;
    project_.chips[0].edit_count += edits.size();
    result.edits.insert(result.edits.end(), edits.begin(), edits.end());
    std::sort(result.edits.begin(), result.edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  }

  std::vector<std::string> header_folders() const {
    std::set<std::string> folders = {project_.root};
    base::Result<std::vector<port::TreeEntry>> entries = port::walk_tree(project_.root, nullptr);
    if (entries.ok()) {
      for (const port::TreeEntry& entry : *entries) {
        const std::string ending = fs::path(entry.path).extension().string();
        if ((ending == ".h" || ending == ".cuh" || ending == ".hpp") && folders.size() < kHeaderFoldersMax)
          folders.insert((fs::path(project_.root) / fs::path(entry.path).parent_path()).string());
        if (fs::path(entry.path).parent_path().filename() == "include")
          folders.insert((fs::path(project_.root) / fs::path(entry.path).parent_path()).string());
      }
    }
    return {folders.begin(), folders.end()};
  }
  static base::Result<std::vector<std::string>> torch_folders() {
    SB_TRY(std::string python, pool::torch_python());
    SB_TRY(std::string root, base::installation_root());
    const fs::path venv = fs::path(python).parent_path().parent_path();
    std::error_code error;
    for (const auto& version : fs::directory_iterator(venv / "lib", error)) {
      const fs::path torch = version.path() / "site-packages/torch/include";
      if (!fs::is_directory(torch, error)) continue;
      return std::vector<std::string>{root + "/src/emulate/cuda/torch", torch.string(),
                                      (torch / "torch/csrc/api/include").string(),
                                      "/usr/include/" + version.path().filename().string()};
    }
    return base::Error("pool.no_emulated_device", text("PyTorch's headers were not found", "未找到 PyTorch 头文件"))
        .at(venv.string());
  }

  port::ProjectReport& project_;
  std::vector<std::string> header_folders_;
  const port::OnProgress& on_progress_;
  bool finds_by_pattern_ = false;
  std::map<std::string, std::string> ported_;       // .cu source -> its host source
  std::map<std::string, std::vector<Edit>> edits_;  // by path
};

}  // namespace

base::Status port_extensions(port::ProjectReport& project, port::Context& context, const port::OnProgress& on_progress) {
  const port::Target& target = project.chips[0].target;
  if (target.family == nullptr || target.family->backend != "mlu") return {};
  return Extensions(project, on_progress).run(context);
}

}  // namespace starbridge::cli
