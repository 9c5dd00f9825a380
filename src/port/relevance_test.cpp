#include "port/relevance.h"

#include <gtest/gtest.h>

#include "port/target.h"

namespace starbridge::port {
namespace {

class RelevanceTest : public testing::Test {
 protected:
  RelevanceTest() : catalog_(catalog::Catalog::load(SB_DATA_DIR).value()), tables_(Tables::load(catalog_).value()) {}
  catalog::Catalog catalog_;
  Tables tables_;
};

// A word search that does not know a name of the tables would leave files unported in silence.
TEST_F(RelevanceTest, KnowsEveryVariableOfTheTables) {
  for (const catalog::EnvRow& row : tables_.env.rows()) {
    for (const std::string& name : {row.name, row.target}) {
      if (name.empty()) continue;
      EXPECT_TRUE(may_shell_matter("export " + name + "=1\n")) << name;
      EXPECT_TRUE(may_settings_matter("env:\n  " + name + ": 1\n")) << name;
    }
  }
}

TEST_F(RelevanceTest, KnowsEveryFamily) {
  for (const Family& family : families()) {
    std::string device(family.device);
    std::string collective(family.collective);
    EXPECT_TRUE(may_shell_matter("python train.py --device " + device));
    EXPECT_TRUE(may_shell_matter("python train.py --backend " + collective));
    EXPECT_TRUE(may_settings_matter("device: " + device));
    EXPECT_TRUE(may_settings_matter("backend: " + collective));
    EXPECT_TRUE(may_python_matter("x = y.to('" + device + "')", tables_));
    EXPECT_TRUE(may_python_matter("start('" + collective + "')", tables_));
  }
}

TEST_F(RelevanceTest, KnowsTheCardsOfSlurmAndKubernetes) {
  for (const catalog::Chip& chip : catalog_.chips()) {
    EXPECT_TRUE(may_shell_matter("#SBATCH --gres=" + chip.slurm_gres().value_or("gpu"))) << chip.id;
    EXPECT_TRUE(may_settings_matter(chip.kubernetes_resource().value_or("nvidia.com/gpu") + ": 1")) << chip.id;
  }
}

TEST_F(RelevanceTest, SparesFilesThatSayNothing) {
  EXPECT_FALSE(may_shell_matter("#!/bin/sh\ncat input.txt | sort > output\n"));
  EXPECT_FALSE(may_settings_matter("name: test\nvalue: 3\n"));
  EXPECT_FALSE(may_python_matter("import os\nprint(input())\n", tables_));
  EXPECT_FALSE(may_notebook_matter(R"x({"cells": [{"cell_type": "code", "source": ["import os\n", "os.getcwd()"]}]})x", tables_));
}

TEST_F(RelevanceTest, FindsPackagesInOneLineNotebooks) {
  EXPECT_TRUE(may_notebook_matter(R"({"source": "import os\nimport apex\n"})", tables_));
  EXPECT_TRUE(may_notebook_matter(R"({"source": "!pip install flash-attn"})", tables_));
}

}  // namespace
}  // namespace starbridge::port
