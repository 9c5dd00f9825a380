// A scan after a change, with and without what an earlier one found: the two say the same of every file.
#include "port/scan_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <random>

#include "base/files.h"
#include "base/json.h"
#include "port/project.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class ScanCache : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("starbridge-scan-cache-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    ::setenv("STARBRIDGE_CACHE", (folder_ / "cache").c_str(), 1);
    for (const auto& [path, bytes] : files_) put(path, bytes);
  }
  void TearDown() override {
    ::unsetenv("STARBRIDGE_CACHE");
    fs::remove_all(folder_);
  }

  void put(const std::string& path, const std::string& bytes) {
    fs::path full = folder_ / "tree" / path;
    fs::create_directories(full.parent_path());
    ASSERT_TRUE(base::write_file_atomically(full.string(), bytes).ok());
    age(path);
  }
  // As if it had been written an hour ago, so that its times are trusted.
  void age(const std::string& path) {
    fs::last_write_time(folder_ / "tree" / path, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }

  std::string scan(bool uses_cache, const std::string& today = "2026-01-01", const std::string& chip = "ascend-910b3") {
    Context context = make_context(tables(), {make_target(*catalogue().find_chip(chip).value())});
    context.uses_cache = uses_cache;
    context.today = today;
    ProjectReport project = scan_project((folder_ / "tree").string(), context).value();
    reused_ = project.reused_file_count;
    std::string told = std::to_string(project.file_count) + " files, " + std::to_string(project.line_count) + " lines\n";
    for (const auto& [name, use] : project.uses) told += name + " " + std::to_string(use.count) + "\n";
    for (const FileReport& file : project.files) {
      told += file.path + "\n";
      for (const Edit& edit : file.results[0].edits)
        told += std::to_string(edit.begin) + "-" + std::to_string(edit.end) + " " + edit.replacement + " " + edit.rule + "\n";
      for (const Finding& finding : file.results[0].findings)
        told += base::to_string(finding.to_json(base::Language::kChinese)) + "\n";
    }
    return told;
  }
  void expect_same(const std::string& what) { EXPECT_EQ(scan(true), scan(false)) << what; }
  std::vector<fs::path> snapshots() {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache" / "scan")) paths.push_back(entry.path());
    return paths;
  }

  fs::path folder_;
  std::size_t reused_ = 0;  // by the last scan
  Files files_ = {
      {"config.py", "DEVICE = 'cuda'\nNAME = 'cuda'\n"},
      {"net.py", "import torch\nfrom config import DEVICE\ndef place(x, where):\n  return x.to(where)\nprint(torch.load)\n"},
      {"train.py", "import torch\nfrom net import place\nimport config\nplace(torch.ones(2), config.DEVICE)\nx.cuda()\n"},
      {"other.py", "from helper import run\nrun('cuda')\n"},
      {"helper.py", "def run(name):\n  print(name)\n"},
      {"plain.py", "def f(a):\n  return a\n"},
      {"run.sh", "export CUDA_VISIBLE_DEVICES=0\npython train.py\n"},
      {"conf.yaml", "device: cuda\n"},
      {"kernel.cu", "__global__ void k(float* x) { x[threadIdx.x] += 1; }\n"},
      {"requirements.txt", "torch==2.7.1\n"},
  };
};

TEST_F(ScanCache, SaysTheSameOfAnUnchangedTree) {
  std::string first = scan(true);
  EXPECT_EQ(snapshots().size(), 1U);
  EXPECT_EQ(scan(true), first);
  EXPECT_EQ(reused_, files_.size());
  expect_same("unchanged");
}

TEST_F(ScanCache, ReadsOnlyWhatChangedWhileTheFlowStays) {
  scan(true);
  put("train.py", files_["train.py"] + "y.cuda()\n");
  put("run.sh", "export CUDA_VISIBLE_DEVICES=3\n");
  scan(true);
  EXPECT_EQ(reused_, files_.size() - 2);
  put("net.py", "def place(x, where):\n  return x\n");  // hands no device on any more: what others hold is to be asked anew
  scan(true);
  EXPECT_EQ(reused_, 0U);
}

struct Change {
  const char* what;
  const char* path;
  const char* bytes;  // null: removed
};

const Change kChanges[] = {
    {"a name more", "train.py",
     "import torch\nfrom net import place\nimport config\nplace(torch.ones(2), config.DEVICE)\nx.cuda()\ny.cuda()\n"},
    {"a device is no longer handed on", "train.py",
     "import torch\nfrom net import place\nimport config\nplace(torch.ones(2), 1)\n"},
    {"what a setting holds", "config.py", "DEVICE = 'cuda:1'\nNAME = 'cuda'\n"},
    {"a parameter becomes a device", "helper.py", "import torch\ndef run(name):\n  torch.device(name)\n"},
    {"an unread file starts to matter", "plain.py", "import torch\nfrom config import NAME\nx.to(NAME)\n"},
    {"an import leads elsewhere", "net.py",
     "import torch\nfrom plain import DEVICE\ndef place(x, where):\n  return x.to(where)\n"},
    {"a file is damaged", "net.py", "def place(x, where:\n"},
    {"a file that changes the path is damaged", "net.py", "import sys\nsys.path.append('x')\nimport torch\nx.cuda(\n"},
    {"a script", "run.sh", "export CUDA_VISIBLE_DEVICES=1\nnvidia-smi\n"},
    {"a settings file", "conf.yaml", "device: cpu\n"},
    {"a kernel more", "kernel.cu", "__global__ void k(float* x) { }\n__global__ void l(float* x) { }\n"},
    {"a module more", "extra.py", "import torch\nx.cuda()\n"},
    {"a script more", "more.sh", "export CUDA_VISIBLE_DEVICES=1\n"},
    {"a module less", "config.py", nullptr},
    {"a script less", "run.sh", nullptr},
    {"the version of PyTorch", "requirements.txt", "torch==2.1.0\n"},
    {"the vendor's interception", "train.py",
     "import torch\nimport torch_npu\nfrom torch_npu.contrib import transfer_to_npu\nx.cuda()\n"},
};

TEST_F(ScanCache, SaysTheSameAfterAnyChange) {
  for (const Change& change : kChanges) {
    scan(true);
    if (change.bytes == nullptr) {
      fs::remove(folder_ / "tree" / change.path);
    } else {
      put(change.path, change.bytes);
    }
    expect_same(change.what);
    expect_same(change.what);
    auto before = files_.find(change.path);
    if (before != files_.end()) {
      put(change.path, before->second);
    } else {
      fs::remove(folder_ / "tree" / change.path);
    }
  }
}

TEST_F(ScanCache, SaysTheSameAfterManyChanges) {
  std::mt19937 random(1);
  auto below = [&](std::size_t end) { return random() % end; };
  for (int round = 0; round < 120; ++round) {
    auto file = std::next(files_.begin(), static_cast<std::ptrdiff_t>(below(files_.size())));
    auto other = std::next(files_.begin(), static_cast<std::ptrdiff_t>(below(files_.size())));
    std::string bytes = below(3) == 0 ? file->second : base::read_file((folder_ / "tree" / file->first).string()).value();
    std::size_t at = bytes.empty() ? 0 : below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes.insert(bytes.find('\n', at) + 1, "x.to(DEVICE)\n");
        break;
      case 1:
        bytes.erase(at, below(12));
        break;
      case 2:
        bytes += other->second;
        break;
      default:
        bytes.insert(0, "from config import *\n");
    }
    put(file->first, bytes);
    EXPECT_EQ(scan(true), scan(false)) << "round " << round << ": " << file->first << "\n" << bytes;
  }
}

TEST_F(ScanCache, LooksAtContentsWhenTimesAreTooFreshToTell) {
  scan(true);
  std::string path = (folder_ / "tree" / "train.py").string();
  // The same size, written within the same tick of a coarse clock.
  ASSERT_TRUE(base::write_file_atomically(path, "import torch\nx.cuda()\n").ok());
  scan(true);
  auto time = fs::last_write_time(path);
  ASSERT_TRUE(base::write_file_atomically(path, "import torch\nx.cpu()#\n").ok());
  fs::last_write_time(path, time);
  expect_same("a fresh file");
}

TEST_F(ScanCache, IsForgottenOnAnotherDayForExpiringRemarks) {
  put("train.py", "import torch\nx.cuda()  # starbridge: ignore until 2026-06-01\n");
  EXPECT_EQ(scan(true, "2026-01-01"), scan(false, "2026-01-01"));
  EXPECT_EQ(scan(true, "2026-12-01"), scan(false, "2026-12-01"));
}

TEST_F(ScanCache, KnowsChipsApart) {
  scan(true);
  EXPECT_EQ(scan(true, "2026-01-01", "mlu370-x8"), scan(false, "2026-01-01", "mlu370-x8"));
  EXPECT_EQ(snapshots().size(), 2U);
}

TEST_F(ScanCache, DamageIsNoError) {
  std::string right = scan(true);
  std::string whole = base::read_file(snapshots()[0].string()).value();
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    std::string bytes = whole;
    if (round % 2 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      bytes[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    }
    ASSERT_TRUE(base::write_cache_file(snapshots()[0].string(), bytes).ok());
    EXPECT_EQ(scan(true), right);
  }
}

TEST_F(ScanCache, DecodingNeverReadsPastTheEnd) {
  ScanSnapshot snapshot;
  snapshot.files.resize(3);
  snapshot.files[0].report.results.resize(2);
  snapshot.flow.settings["device"] = python::TextRole::kDevice;
  std::string whole = encode(snapshot);
  EXPECT_TRUE(decode(whole).has_value());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(decode(std::string_view(whole).substr(0, size)).has_value());
}

}  // namespace
}  // namespace starbridge::port
