// Files and forms that were found to be left out: INI, commands in documents, unusual forms of the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/analyze.h"
#include "port/test_files.h"

namespace starbridge::port {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Ported to the chip, again, and back.
void expect_port(const std::string& path, const std::string& cuda, const std::string& npu) {
  EXPECT_EQ(ported(path, cuda), npu) << path;
  EXPECT_EQ(ported(path, npu), npu) << path;
  EXPECT_EQ(ported(path, npu, "nvidia-a100-80g"), cuda) << path;
}

TEST(Ini, SettingsThatNameADeviceChangeAndNothingElse) {
  expect_port("app.ini",
              "[cuda]\n; device = cuda\n# device = cuda\ndevice = cuda:0 ; cuda\nname = cuda\ndist_backend: \"nccl\"\r\n"
              "CUDA_VISIBLE_DEVICES = 0\npath = /usr/local/cuda\n",
              "[cuda]\n; device = cuda\n# device = cuda\ndevice = npu:0 ; cuda\nname = cuda\ndist_backend: \"hccl\"\r\n"
              "ASCEND_RT_VISIBLE_DEVICES = 0\npath = /usr/local/cuda\n");
  expect_port("supervisord.conf",
              "[program:train]\ncommand=python train.py --device cuda --name "
              "cuda\nenvironment=A=\"x,CUDA_VISIBLE_DEVICES=1\",CUDA_VISIBLE_DEVICES=\"0\"\n",
              "[program:train]\ncommand=python train.py --device npu --name "
              "cuda\nenvironment=A=\"x,CUDA_VISIBLE_DEVICES=1\",ASCEND_RT_VISIBLE_DEVICES=\"0\"\n");
  for (const char* broken : {"=\ncuda", "[", "device", "device=", "device = \"cuda", "\n\n=cuda\n"})
    EXPECT_EQ(ported("a.ini", broken), broken);
}

TEST(Documents, CommandsInBlocksChangeAndProseStays) {
  expect_port("README.md",
              "# On cuda\nRun `python t.py --device cuda` with CUDA_VISIBLE_DEVICES=0.\n\n```bash\n# --device "
              "cuda\nCUDA_VISIBLE_DEVICES=0 python t.py "
              "--device cuda \\\n  --dist-backend nccl\n```\n\n```python\nx.to('cuda')\n```\n\n```\nDevice: cuda\n$ python t.py "
              "--device cuda\nusing --device "
              "cuda\n```\n",
              "# On cuda\nRun `python t.py --device cuda` with CUDA_VISIBLE_DEVICES=0.\n\n```bash\n# --device "
              "cuda\nASCEND_RT_VISIBLE_DEVICES=0 python t.py "
              "--device npu \\\n  --dist-backend hccl\n```\n\n```python\nx.to('cuda')\n```\n\n```\nDevice: cuda\n$ python t.py "
              "--device npu\nusing --device "
              "cuda\n```\n");
  expect_port("docs/use.rst",
              "On cuda\n=======\n\n.. code-block:: bash\n\n   python t.py --device cuda\n\n.. code-block:: python\n\n   "
              "x.to('cuda')\n\nRun::\n\n"
              "    python t.py --device cuda\n    done on --device cuda\n\npython t.py --device cuda\n",
              "On cuda\n=======\n\n.. code-block:: bash\n\n   python t.py --device npu\n\n.. code-block:: python\n\n   "
              "x.to('cuda')\n\nRun::\n\n"
              "    python t.py --device npu\n    done on --device cuda\n\npython t.py --device cuda\n");
  // Four columns, after a blank line; not in the middle of a paragraph.
  expect_port("a.md", "Text\n    python t.py --device cuda\n\n    python t.py --device cuda\n",
              "Text\n    python t.py --device cuda\n\n    python t.py --device npu\n");
  EXPECT_EQ(ported("a.md", "~~~~sh\npython t.py --device cuda\n~~~\npython t.py --device cuda\n"),
            "~~~~sh\npython t.py --device npu\n~~~\npython t.py --device npu\n")
      << "a fence ends with one as long";
}

TEST(Documents, ToolsCardsOfContainersAndCudaBuildsAreTold) {
  EXPECT_THAT(rules("README.md", "```bash\nnvidia-smi\ndocker run --gpus all image\n```\n"),
              testing::ElementsAre("cuda-tool", "container-cards"));
  EXPECT_THAT(ported("README.md", "```\npip install torch==2.7.1+cu121 numpy\n```\n"),
              HasSubstr("torch==2.7.1 torch_npu==2.7.1"));
  EXPECT_THAT(rules("README.md", "Use nvidia-smi and docker run --gpus all.\n"), IsEmpty());
}

TEST(Slurm, SeveralResourcesOnALine) {
  expect_port("a.sbatch", "#!/bin/bash\n#SBATCH --gres=gpu:8,nvme:1\n", "#!/bin/bash\n#SBATCH --gres=npu:8,nvme:1\n");
  EXPECT_EQ(ported("a.sbatch", "#!/bin/bash\n#SBATCH --gpus-per-node=a100:8\n"),
            "#!/bin/bash\n#SBATCH --gres=npu:ascend910b3:8\n");
  EXPECT_EQ(ported("a.sbatch", "#!/bin/bash\n#SBATCH --gres=npu:ascend910b3:8\n", "nvidia-a100-80g"),
            "#!/bin/bash\n#SBATCH --gres=gpu:8\n");
}

TEST(Requirements, AHashOfACudaBuildIsToldNotSpoilt) {
  std::string hashed = "torch==2.7.1+cu121 \\\n    --hash=sha256:ab\nnumpy==1.0 --hash=sha256:cd\n";
  EXPECT_EQ(ported("requirements.txt", hashed), hashed);
  EXPECT_THAT(rules("requirements.txt", hashed), testing::UnorderedElementsAre("plugin-hash", "cuda-build-hash"));
  EXPECT_THAT(ported("requirements.txt", "torch==2.7.1+cu121\n"), HasSubstr("torch==2.7.1\ntorch_npu==2.7.1"));
}

TEST(Dockerfile, HeredocsAndContinuedVariables) {
  EXPECT_EQ(ported("Dockerfile",
                   "FROM python:3.10\nENV A=1 \\\n    # cuda\n    CUDA_VISIBLE_DEVICES=0\nRUN <<EOT bash\nexport "
                   "CUDA_VISIBLE_DEVICES=0\npython t.py --device cuda\nEOT\n"
                   "CMD [\"python\", \"t.py\", \"--device\", \"cuda\"]\n"),
            "FROM python:3.10\nENV A=1 \\\n    # cuda\n    ASCEND_RT_VISIBLE_DEVICES=0\nRUN <<EOT bash\nexport "
            "ASCEND_RT_VISIBLE_DEVICES=0\npython t.py --device npu\nEOT\n"
            "CMD [\"python\", \"t.py\", \"--device\", \"npu\"]\n");
}

TEST(Yaml, BlockScalarsFlowMapsAndCardsOfOtherVendors) {
  expect_port("job.yaml",
              "spec: {limits: {nvidia.com/gpu: 2}, env: {CUDA_VISIBLE_DEVICES: \"0,1\"}}\nrun: |\n  # --device cuda\n  python "
              "t.py --device cuda\n"
              "fold: >-\n  python t.py\n  --device cuda\n",
              "spec: {limits: {huawei.com/Ascend910: 2}, env: {ASCEND_RT_VISIBLE_DEVICES: \"0,1\"}}\nrun: |\n  # --device cuda\n "
              " python t.py --device npu\n"
              "fold: >-\n  python t.py\n  --device cuda\n");
  EXPECT_THAT(ported("job.yaml", "limits: {iluvatar.ai/gpu: 2}\n"), HasSubstr("huawei.com/Ascend910: 2"));
}

TEST(Notebook, MagicCellsAreShellOrLeftAlone) {
  auto cell = [](const std::string& source) {
    return "{\"cells\": [{\"cell_type\": \"code\", \"source\": [" + source + "]}], \"nbformat\": 4}";
  };
  EXPECT_EQ(ported("n.ipynb", cell("\"%%bash\\n\", \"python t.py --device cuda\"")),
            cell("\"%%bash\\n\", \"python t.py --device npu\""));
  EXPECT_EQ(ported("n.ipynb", cell("\"%%writefile cuda.txt\\n\", \"x.to('cuda') --device cuda\"")),
            cell("\"%%writefile cuda.txt\\n\", \"x.to('cuda') --device cuda\""));
  EXPECT_EQ(ported("n.ipynb", cell("\"%%time\\n\", \"import torch\\n\", \"x.to('cuda')\"")).find("x.to('cuda')"),
            std::string::npos);
  // A call over two strings of the source keeps both.
  std::string split = ported("n.ipynb", cell("\"import torch\\n\", \"x = torch.zeros(2,\\n\", \"  device='cuda')\""));
  EXPECT_THAT(split, HasSubstr("\"  device='npu')\""));
}

}  // namespace
}  // namespace starbridge::port
