// The same program in the words of three vendors: each ported to each of the others is that other, byte for byte, and back again.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "port/apply.h"
#include "port/project.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

struct Family3 {
  const char* chip;
  Files files;
};

const Family3 kFamilies[] = {
    {"nvidia-a100-80g",
     {{"train.py",
       "import os\nimport torch\nimport torch.distributed as dist\nfrom torch.cuda.amp import GradScaler, autocast\n\n"
       "os.environ[\"CUDA_VISIBLE_DEVICES\"] = \"0\"\n\ndef main(device=\"cuda:0\"):\n  dist.init_process_group(\"nccl\")\n"
       "  torch.cuda.set_device(0)\n  model = build().cuda(non_blocking=True)\n  with torch.autocast(\"cuda\"), "
       "torch.cuda.stream(torch.cuda.Stream()):\n"
       "    y = model(x.to(f\"cuda:{rank}\"))\n  assert y.is_cuda and y.device.type == \"cuda\"\n  assert dist.get_backend() in "
       "(\"nccl\", \"gloo\")\n"
       "  torch.cuda.nvtx.range_push(\"step\")\n  g = torch.cuda.CUDAGraph()\n  torch.cuda.synchronize()\n"
       "  print(p.key_averages().table(sort_by=\"self_cuda_time_total\"))\n  torch.cuda.manual_seed_all(1)\n  return "
       "torch.load(f, map_location={\"cuda:0\": \"cuda:1\"})\n"},
      {"run.sh", "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True\npython train.py --device cuda --backend nccl\n"},
      {"conf.yaml", "device: cuda\ndist_backend: nccl\n"}}},
    {"ascend-910b3",
     {{"train.py",
       "import os\nimport torch\nimport torch_npu\nimport torch.distributed as dist\nfrom torch.npu.amp import GradScaler, "
       "autocast\n\n"
       "os.environ[\"ASCEND_RT_VISIBLE_DEVICES\"] = \"0\"\n\ndef main(device=\"npu:0\"):\n  dist.init_process_group(\"hccl\")\n"
       "  torch.npu.set_device(0)\n  model = build().npu(non_blocking=True)\n  with torch.autocast(\"npu\"), "
       "torch.npu.stream(torch.npu.Stream()):\n"
       "    y = model(x.to(f\"npu:{rank}\"))\n  assert y.is_npu and y.device.type == \"npu\"\n  assert dist.get_backend() in "
       "(\"hccl\", \"gloo\")\n"
       "  torch.npu.mstx.range_push(\"step\")\n  g = torch.npu.NPUGraph()\n  torch.npu.synchronize()\n"
       "  print(p.key_averages().table(sort_by=\"self_npu_time_total\"))\n  torch.npu.manual_seed_all(1)\n  return torch.load(f, "
       "map_location={\"npu:0\": \"npu:1\"})\n"},
      {"run.sh", "export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True\npython train.py --device npu --backend hccl\n"},
      {"conf.yaml", "device: npu\ndist_backend: hccl\n"}}},
    {"mlu370-x8",
     {{"train.py",
       "import os\nimport torch\nimport torch_mlu\nimport torch.distributed as dist\nfrom torch.mlu.amp import GradScaler, "
       "autocast\n\n"
       "os.environ[\"MLU_VISIBLE_DEVICES\"] = \"0\"\n\ndef main(device=\"mlu:0\"):\n  dist.init_process_group(\"cncl\")\n"
       "  torch.mlu.set_device(0)\n  model = build().mlu(non_blocking=True)\n  with torch.autocast(\"mlu\"), "
       "torch.mlu.stream(torch.mlu.Stream()):\n"
       "    y = model(x.to(f\"mlu:{rank}\"))\n  assert y.is_mlu and y.device.type == \"mlu\"\n  assert dist.get_backend() in "
       "(\"cncl\", \"gloo\")\n"
       "  torch.mlu.cnpx.range_push(\"step\")\n  g = torch.mlu.MLUGraph()\n  torch.mlu.synchronize()\n"
       "  print(p.key_averages().table(sort_by=\"self_mlu_time_total\"))\n  torch.mlu.manual_seed_all(1)\n  return torch.load(f, "
       "map_location={\"mlu:0\": \"mlu:1\"})\n"},
      {"run.sh", "export PYTORCH_MLU_ALLOC_CONF=expandable_segments:True\npython train.py --device mlu --backend cncl\n"},
      {"conf.yaml", "device: mlu\ndist_backend: cncl\n"}}}};

class Pairs : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("starbridge-pairs-" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  // Ports `files` to a chip, leaving the result in root_/out.
  Files port(const Files& files, const std::string& chip, Style style = Style::kVendor) {
    static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
    static const Tables tables = Tables::load(catalog).value();
    fs::remove_all(root_);
    for (const auto& [name, bytes] : files) {
      fs::create_directories(root_ / "in");
      EXPECT_TRUE(base::write_file_atomically((root_ / "in" / name).string(), bytes).ok());
    }
    ProjectReport report =
        scan_project((root_ / "in").string(), make_context(tables, {make_target(*catalog.find_chip(chip).value(), style)}))
            .value();
    EXPECT_TRUE(write_copy(report, (root_ / "out").string()).ok());
    return read();
  }
  Files read() const {
    Files files;
    for (const auto& entry : fs::directory_iterator(root_ / "out")) {
      std::string name = entry.path().filename().string();
      if (name != kRecordName) files[name] = base::read_file(entry.path().string()).value();
    }
    return files;
  }

  fs::path root_;
};

TEST_F(Pairs, EachBecomesEachOther) {
  for (const Family3& from : kFamilies) {
    for (const Family3& to : kFamilies) {
      EXPECT_EQ(port(from.files, to.chip), to.files) << from.chip << " to " << to.chip;
      ASSERT_TRUE(reverse_port((root_ / "out").string()).ok());
      EXPECT_EQ(read(), from.files) << from.chip << " to " << to.chip << " and back";
    }
  }
}

TEST_F(Pairs, ThePortableFormOfEachIsTheSameButForVariables) {
  std::map<std::string, std::string> forms;
  for (const Family3& from : kFamilies) {
    std::string chip = std::string(from.chip) == "mlu370-x8" ? "ascend-910b3" : "mlu370-x8";
    std::string text = port(from.files, chip, Style::kPortable)["train.py"];
    EXPECT_EQ(port({{"train.py", text}}, chip, Style::kPortable)["train.py"], text);
    std::size_t line = text.find("os.environ[");
    forms[text.substr(0, line) + text.substr(text.find('\n', line))] = from.chip;
  }
  EXPECT_EQ(forms.size(), 1U);
}

}  // namespace
}  // namespace starbridge::port
