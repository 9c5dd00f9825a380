#include "port/preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/rules.h"
#include "port/test_tables.h"

namespace starbridge::port {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Files = std::vector<std::pair<std::string, std::string>>;

// Findings of the preflight as "file:line rule", with the message and advice of the last one.
struct Told {
  std::vector<std::string> where;
  std::string message;
  std::string advice;
};

Told preflight(const Files& files, const std::string& chip = "ascend-910b3") {
  static const Tables tables = Tables::load(catalogue()).value();
  Context context = make_context(tables, {make_target(*catalogue().find_chip(chip).value())});
  std::vector<FileReport> reports;
  for (const auto& [path, bytes] : files) reports.push_back(analyze_file({path, bytes}, classify(path, bytes), context));
  add_preflight(reports, context);
  Told told;
  for (const FileReport& report : reports) {
    for (const Finding& finding : report.results[0].findings) {
      if (std::find(kPreflightRules.begin(), kPreflightRules.end(), finding.rule) == kPreflightRules.end()) continue;
      EXPECT_NE(find_rule(finding.rule), nullptr);
      EXPECT_FALSE(finding.source.empty());
      told.where.push_back(report.path + ":" + std::to_string(finding.place.line) + " " + finding.rule);
      told.message = finding.message.en;
      told.advice = finding.advice.en;
    }
  }
  return told;
}

TEST(Preflight, APluginOfAnotherTorchIsTold) {
  Told told = preflight({{"requirements.txt", "numpy\ntorch==2.7.1\ntorch_npu==2.6.0\n"}});
  EXPECT_THAT(told.where, ElementsAre("requirements.txt:3 plugin-version"));
  EXPECT_THAT(told.message, HasSubstr("belongs to torch 2.6.0, but torch 2.7.1 is pinned (requirements.txt:2"));
  EXPECT_THAT(told.advice, HasSubstr("pin torch_npu==2.7.1.post"));
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1\ntorch-npu==2.7.1.post2\n"}}).where, IsEmpty());
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1\ntorch-npu==2.7.1.post1\n"}}).where, IsEmpty())
      << "a post release that no table lists is of its torch all the same";
}

TEST(Preflight, ARangeThatLeavesThePluginsTorchOutIsTold) {
  Told told = preflight({{"requirements.txt", "torch>=2.7\ntorch_npu==2.6.0\n"}});
  EXPECT_THAT(told.where, ElementsAre("requirements.txt:2 plugin-version"));
  EXPECT_THAT(told.message, HasSubstr("belongs to torch 2.6.0, which torch>=2.7 rules out"));
  EXPECT_THAT(told.advice, HasSubstr("torch 2.12.0 + torch_npu"));
  EXPECT_THAT(preflight({{"requirements.txt", "torch<3\ntorch_npu==2.6.0\n"}}).where, IsEmpty());
}

TEST(Preflight, FilesOfOneProjectAreReadTogether) {
  Files files = {{"requirements.txt", "torch==2.7.1\n"},
                 {"docker/Dockerfile", "FROM ascendai/cann:8.0.0-910b-ubuntu22.04-py3.10\n"}};
  Told told = preflight(files);
  EXPECT_THAT(told.where, ElementsAre("docker/Dockerfile:1 toolkit-version"));
  EXPECT_THAT(told.advice, HasSubstr("CANN 8.5.0 (torch_npu 2.7.1.post2)"));
  files[1].second = "FROM ascendai/cann:8.3.rc1-910b-ubuntu22.04-py3.10\n";
  EXPECT_THAT(preflight(files).where, IsEmpty());
}

TEST(Preflight, TwoPinsThatDisagreeAreNotChosenFrom) {
  EXPECT_THAT(preflight({{"a/requirements.txt", "torch==2.7.1\n"},
                         {"b/requirements.txt", "torch==2.6.0\n"},
                         {"Dockerfile", "FROM ascendai/cann:8.0.0-910b\n"}})
                  .where,
              IsEmpty());
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1; python_version > '3.9'\ntorch_npu==2.6.0\n"}}).where, IsEmpty());
  EXPECT_THAT(preflight({{"requirements.txt", "torch>=2.6\ntorch_npu==2.6.0\n"}}).where, IsEmpty());
}

TEST(Preflight, APythonThatIsNotServedIsToldFromEveryKindOfFile) {
  const Files kinds = {
      {"Dockerfile", "FROM python:3.8-slim\nRUN pip install torch==2.7.1\n"},
      {"pyproject.toml", "[project]\nrequires-python = \">=3.14\"\ndependencies = [\"torch==2.7.1\"]\n"},
      {"pyproject.toml", "[tool.poetry.dependencies]\npython = \"~3.8\"\ntorch = \"2.7.1\"\n"},
      {"setup.cfg", "[options]\npython_requires = <3.9\ninstall_requires =\n    torch==2.7.1\n"},
      {"setup.py",
       "from setuptools import setup\nNEEDS = ['torch==2.7.1']\nsetup(install_requires=NEEDS, python_requires='<3.9')\n"},
      {"environment.yml", "dependencies:\n  - python=3.8\n  - pytorch=2.7.1\n"}};
  for (const auto& file : kinds) {
    Told told = preflight({file});
    ASSERT_EQ(told.where.size(), 1U) << file.second;
    EXPECT_THAT(told.where[0], HasSubstr("python-version")) << file.second;
    EXPECT_THAT(told.advice, HasSubstr("Python 3.9-3.13"));
  }
  EXPECT_THAT(preflight({{"Dockerfile", "FROM python:3.11\nRUN pip install torch==2.7.1\n"}}).where, IsEmpty());
  EXPECT_THAT(preflight({{"setup.py", "setup(python_requires='>=3.8', install_requires=['torch==2.7.1'])\n"}}).where, IsEmpty())
      << "3.9 is allowed and served";
  EXPECT_THAT(preflight({{"Dockerfile", "FROM python:3.7\n"}}).where, ElementsAre("Dockerfile:1 python-version"))
      << "no torch at all is served there";
  EXPECT_THAT(preflight({{"Dockerfile", "ARG V=3.8\nFROM python:${V}\nRUN pip install torch==2.7.1\n"}}).where, IsEmpty());
}

TEST(Preflight, AnImageAloneTellsWhatItPairsWith) {
  Told told =
      preflight({{"compose.yaml", "services:\n  train:\n    image: quay.io/ascend/cann:8.2.rc1-910b-ubuntu22.04-py3.11\n"}});
  EXPECT_THAT(told.where, ElementsAre("compose.yaml:3 toolkit-version"));
  EXPECT_THAT(told.advice, HasSubstr("torch 2.6.0 + torch_npu 2.6.0"));
  EXPECT_THAT(preflight({{"Dockerfile", "FROM ascendai/cann:7.9.9-910b\n"}}).message, HasSubstr("no table says"));
  EXPECT_THAT(preflight({{"Dockerfile", "FROM ascendai/cann:latest\n"}}).where, IsEmpty());
}

TEST(Preflight, PackagesThatDoNotGoTogether) {
  Told told = preflight({{"requirements.txt", "torch==2.7.1\ntorchvision==0.21.0\n"}});
  EXPECT_THAT(told.where, ElementsAre("requirements.txt:2 package-pair"));
  EXPECT_THAT(told.advice, HasSubstr("torchvision 0.22"));
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1\ntorchvision==0.22.1\n"}}).where, IsEmpty());
  told = preflight({{"requirements.txt", "vllm-ascend==0.11.0\ntorch==2.8.0\n"}});
  EXPECT_THAT(told.message, HasSubstr("vllm-ascend 0.11.0 goes with torch 2.7.1"));
}

TEST(Preflight, OtherChipsHaveTheirOwnPairs) {
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1\ntorch_musa==2.5.0\n"}}, "moorethreads-s4000").where,
              ElementsAre("requirements.txt:2 plugin-version"));
  EXPECT_THAT(preflight({{"Dockerfile", "FROM python:3.12\nRUN pip install torch==2.4.0\n"}}, "mlu370-x8").where,
              ElementsAre("Dockerfile:1 python-version"));
  EXPECT_THAT(preflight({{"Dockerfile", "FROM python:3.12\nRUN pip install torch==2.4.0\n"}}, "iluvatar-bi-v150").where,
              IsEmpty());
}

TEST(Preflight, ARemarkInTheFileSilencesIt) {
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1\ntorch_npu==2.6.0  # starbridge: ignore[plugin-version]\n"}}).where,
              IsEmpty());
  EXPECT_THAT(preflight({{"requirements.txt", "torch==2.7.1\ntorch_npu==2.6.0  # starbridge: ignore[package-pair]\n"}}).where,
              ElementsAre("requirements.txt:2 plugin-version"));
}

TEST(Preflight, OpenAndUnservedVersionsAreToldThePairs) {
  static const Tables tables = Tables::load(catalogue()).value();
  Context context = make_context(tables, {make_target(*catalogue().find_chip("ascend-910b3").value())});
  auto advice = [&](const std::string& line) {
    FileReport report = analyze_file({"requirements.txt", line}, FileKind::kRequirements, context);
    const auto& findings = report.results[0].findings;
    return findings.empty() ? std::string() : findings[0].rule + ": " + findings[0].advice.en;
  };
  EXPECT_THAT(advice("torch\n"), HasSubstr("torch-unpinned: pin torch==2.12.0"));
  EXPECT_THAT(advice("torch>=2.4,<2.6\n"), HasSubstr("torch-unpinned: pin torch==2.5.1"));
  EXPECT_THAT(advice("torch<1.9\n"), HasSubstr("torch-version: choose one of: torch 2.12.0 + torch_npu 2.12.0"));
  EXPECT_THAT(advice("torch==1.9.0\n"), HasSubstr("torch-version: choose one of"));
}

}  // namespace
}  // namespace starbridge::port
