// The kinds of files beside Python: shell, requirements, Dockerfile, YAML, notebook, CUDA.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/json.h"
#include "port/analyze.h"
#include "port/notebook_cells.h"
#include "port/test_files.h"

namespace starbridge::port {
namespace {

TEST(Shell, VariablesOptionsAndResourcesChangeAndTextsStay) {
  std::string script =
      "#!/bin/bash\n#SBATCH --gres=gpu:8\n# cuda\nexport CUDA_VISIBLE_DEVICES=0,1\necho \"CUDA cuda\" $CUDA_VISIBLE_DEVICES\n"
      "python train.py --device cuda --dist-backend=nccl --name cuda\n";
  EXPECT_EQ(ported("run.sh", script),
            "#!/bin/bash\n#SBATCH --gres=npu:8\n# cuda\nexport ASCEND_RT_VISIBLE_DEVICES=0,1\necho \"CUDA cuda\" "
            "$ASCEND_RT_VISIBLE_DEVICES\n"
            "python train.py --device npu --dist-backend=hccl --name cuda\n");
  EXPECT_EQ(ported("run.sh", ported("run.sh", script)), ported("run.sh", script));
}

TEST(Shell, ToolsOfNvidiaAreFindings) {
  EXPECT_EQ(rules("run.sh", "nvidia-smi\nnsys profile python x.py\n"), (std::vector<std::string>{"cuda-tool", "cuda-tool"}));
}

TEST(Requirements, TheChipsPluginJoinsAPinnedTorch) {
  EXPECT_EQ(ported("requirements.txt", "torch==2.7.1\nnumpy\n").substr(0, 24), "torch==2.7.1\ntorch_npu==");
  std::string once = ported("requirements.txt", "torch==2.7.1\nnumpy\n");
  EXPECT_EQ(ported("requirements.txt", once), once);
  EXPECT_EQ(ported("requirements.txt", once, "nvidia-a100-80g"), "torch==2.7.1\nnumpy\n");
  EXPECT_EQ(rules("requirements.txt", "torch\n"), std::vector<std::string>{"torch-unpinned"});
  EXPECT_EQ(rules("requirements.txt", "flash-attn==2.5\n"), std::vector<std::string>{"package-replaced"});
}

TEST(Dockerfile, ImagesAreFindingsAndVariablesChange) {
  std::string file = "# FROM nvidia/cuda\nFROM nvidia/cuda:12.4\nENV CUDA_VISIBLE_DEVICES=0\n";
  EXPECT_EQ(ported("Dockerfile", file), "# FROM nvidia/cuda\nFROM nvidia/cuda:12.4\nENV ASCEND_RT_VISIBLE_DEVICES=0\n");
  EXPECT_EQ(rules("Dockerfile", "FROM nvidia/cuda:12.4\n"), std::vector<std::string>{"cuda-image"});
}

TEST(Yaml, ResourcesAndDeviceKeysChange) {
  std::string yaml =
      "resources:\n  limits:\n    nvidia.com/gpu: 8  # nvidia.com/gpu\ndevice: cuda\nname: cuda\nbackend: 'nccl'\n";
  EXPECT_EQ(ported("job.yaml", yaml),
            "resources:\n  limits:\n    huawei.com/Ascend910: 8  # nvidia.com/gpu\ndevice: npu\nname: cuda\nbackend: 'hccl'\n");
  EXPECT_EQ(rules("chart.yaml", "x: [{{ a }}\ny: cuda\n"), std::vector<std::string>{"yaml-template"});
  EXPECT_EQ(rules("chart.yaml", "x: [\ny: cuda\n"), std::vector<std::string>{"yaml-unreadable"});
}

TEST(Notebook, CellsChangeAndEverythingElseKeepsItsBytes) {
  std::string notebook =
      "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"x.to('cuda')\"]},\n"
      " {\"cell_type\": \"code\",\"outputs\":[{\"text\": \"cuda\"}], \"source\": [\"%time cuda\\n\", \"import torch\\n\", "
      "\"x.to(\\\"cuda\\\")\"], \"metadata\": {\"a\":1}}]}";
  std::string result = ported("n.ipynb", notebook);
  EXPECT_NE(result.find("x.to(\\\"npu\\\")"), std::string::npos);
  EXPECT_NE(result.find("\"source\": [\"x.to('cuda')\"]"), std::string::npos);
  EXPECT_NE(result.find("{\"text\": \"cuda\"}"), std::string::npos);
  EXPECT_NE(result.find("%time cuda\\n"), std::string::npos);
  EXPECT_TRUE(base::parse_json(result, "n").ok());
  EXPECT_EQ(ported("n.ipynb", result), result);
}

TEST(Notebook, AnUnfinishedCellDoesNotKeepTheOthersFromBeingPorted) {
  std::string notebook =
      "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"import torch\\n\", \"x.cuda()\"]},\n"
      "{\"cell_type\": \"code\", \"source\": [\"y.cuda()\\n\",\n\"z = )\"]},\n"
      "{\"cell_type\": \"code\", \"source\": [\"w.cuda()\"]}]}";
  std::string result = ported("n.ipynb", notebook);
  EXPECT_NE(result.find("x.npu()"), std::string::npos);
  EXPECT_NE(result.find("y.cuda()"), std::string::npos);
  EXPECT_NE(result.find("w.npu()"), std::string::npos);
  FileReport report = analyze("n.ipynb", notebook);
  const std::vector<Finding>& findings = report.results[0].findings;
  auto unparsable =
      std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.rule == "python-unparsable"; });
  ASSERT_NE(unparsable, findings.end());
  EXPECT_EQ(unparsable->place.line, 3);
}

TEST(Notebook, MalformedJsonIsAFindingWithItsLine) {
  FileReport report = analyze("n.ipynb", "{\"torch\": [\n}");
  ASSERT_EQ(report.results[0].findings.size(), 1U);
  EXPECT_EQ(report.results[0].findings[0].rule, "notebook-unreadable");
  EXPECT_EQ(report.results[0].findings[0].place.line, 2);
}

TEST(Cuda, KernelsLaunchesAndFeaturesAreInventoried) {
  FileReport report = analyze("k.cu",
                              "#include <cublas_v2.h>\n"
                              "template <typename T>\n__global__ void scale(T* x, float a) {\n  __shared__ float s[32];\n  "
                              "s[threadIdx.x] = __shfl_down_sync(~0u, a, 1);\n  atomicAdd(&s[0], 1.f);\n  __syncthreads();\n}\n"
                              "void run() { scale<float><<<4, 32>>>(nullptr, 1.f); cublasSgemm(); }\n");
  ASSERT_EQ(report.cuda.kernels.size(), 1U);
  EXPECT_EQ(report.cuda.kernels[0].name, "scale");
  EXPECT_TRUE(report.cuda.kernels[0].is_template);
  EXPECT_EQ(report.cuda.kernels[0].features,
            (std::vector<std::string>{"atomics", "block barrier", "shared memory", "warp shuffle"}));
  ASSERT_EQ(report.cuda.launches.size(), 1U);
  EXPECT_EQ(report.cuda.launches[0].grid, "4");
  EXPECT_EQ(report.cuda.libraries.count("cublas"), 1U);
  EXPECT_EQ(report.results[0].findings[0].rule, "cuda-kernel");
  EXPECT_EQ(report.results[0].edits.size(), 0U);
}

TEST(Files, TheRecordOfAPortIsNotPorted) {
  EXPECT_EQ(rules("config.json", "{\"nvidia.com/mig\": 1}"), std::vector<std::string>{"kubernetes-nvidia"});
  EXPECT_EQ(ported(".starbridge-port.json", "{\"device\": \"cuda\"}"), "{\"device\": \"cuda\"}");
  EXPECT_EQ(ported("config.json", "{\"device\": \"cuda\"}"), "{\"device\": \"npu\"}");
}

TEST(Files, BinaryAndHugeFilesAreSaidNotRead) {
  EXPECT_EQ(rules("x.py", std::string("a\0b", 3)), std::vector<std::string>{"file-binary"});
  EXPECT_EQ(rules("x.py", std::string(kAnalyzedBytesMax + 1, ' ')), std::vector<std::string>{"file-too-large"});
}

TEST(Files, RandomTextNeverCrashes) {
  std::mt19937 random(4);
  const std::string alphabet = "{}[]\":,\\ncuda \n#<>_&|$()'`=-";
  for (const char* path : {"n.ipynb", "run.sh", "k.cu", "job.yaml", "Dockerfile", "requirements.txt"}) {
    for (int round = 0; round < 400; ++round) {
      std::string bytes(random() % 80, ' ');
      for (char& c : bytes) c = alphabet[random() % alphabet.size()];
      std::string once = ported(path, bytes);
      EXPECT_EQ(ported(path, once), once) << path << ": " << bytes;
    }
  }
}

}  // namespace
}  // namespace starbridge::port
