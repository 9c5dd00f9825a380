#include "sched/job.h"

#include <gtest/gtest.h>

#include <random>

#include "base/json.h"

namespace starbridge::sched {
namespace {

const catalog::Catalog& catalogue() {
  static const catalog::Catalog catalog = catalog::Catalog::load(SB_DATA_DIR).value();
  return catalog;
}

base::Result<JobSpec> parse(const std::string& content) { return parse_job(content, "/jobs/train.yaml", catalogue()); }

const std::string kNative =
    "name: t\nproject: p\ncommand: python train.py\nenv: {A: '1'}\nresources: {cards: 8, nodes: 2, policy: fastest, chips: "
    "[910b, mlu370-x8]}\ntime_limit: 90m\nestimate_on_a100: 2h\n";
const std::string kSbatch =
    "#!/bin/bash\n#SBATCH -J t -N 2\n#SBATCH --gres=gpu:a100:4\n#SBATCH --time=01:30:00 --export=ALL,A=1\n#STARBRIDGE "
    "--project=p --policy=fastest --chips=mlu370-x8,910b --estimate-on-a100=2h\n\n# what runs\npython train.py\n#SBATCH "
    "--gres=gpu:9\n";
const std::string kKubernetes =
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: t\n  annotations: {starbridge.io/project: p, "
    "starbridge.io/policy: fastest, starbridge.io/chips: '910b,mlu370-x8', starbridge.io/estimate-on-a100: 2h}\n"
    "spec:\n  runPolicy: {activeDeadlineSeconds: 5400}\n  pytorchReplicaSpecs:\n    Master: {replicas: 1, template: {spec: "
    "{containers: &c [{name: x, command: [python, train.py], env: [{name: A, value: '1'}], resources: {limits: "
    "{huawei.com/Ascend910: 4}}}]}}}\n"
    "    Worker: {replicas: 1, template: {spec: {containers: *c}}}\n";

TEST(Job, ThreeDialectsSayTheSame) {
  std::string native = base::to_string(to_json(parse(kNative).value()));
  EXPECT_EQ(base::to_string(to_json(parse(kSbatch).value())), native);
  EXPECT_EQ(base::to_string(to_json(parse(kKubernetes).value())), native);
  EXPECT_NE(native.find("\"card_count\": 8"), std::string::npos);
}

TEST(Job, JsonComesBack) {
  JobSpec job = parse(kNative).value();
  EXPECT_EQ(base::to_string(to_json(job_from_json(to_json(job)).value())), base::to_string(to_json(job)));
}

TEST(Job, SlurmTimesFollowSbatch) {
  for (auto [written, seconds] : {std::pair{"90", 5400}, std::pair{"1:30", 90}, std::pair{"01:30:00", 5400},
                                  std::pair{"1-0", 86400}, std::pair{"1-2:30", 95400}, std::pair{"2-00:00:01", 172801}}) {
    EXPECT_EQ(parse(std::string("#!/bin/sh\n#SBATCH --gres=gpu:1 -t ") + written + "\ntrue\n").value().time_limit_ms,
              seconds * 1000)
        << written;
  }
}

struct Bad {
  const char* content;
  const char* code;
  int line;
};

TEST(Job, WrongJobsAreRefusedWithTheirPlace) {
  for (const Bad& bad : {
           Bad{"name: x\n", "base.wrong_field", 1},
           Bad{"command: x\nresorces: {cards: 1}\n", "base.wrong_field", 2},
           Bad{"command: x\nresources:\n  cards: 0\n", "base.wrong_field", 3},
           Bad{"command: x\nresources:\n  cards: eight\n", "base.wrong_field", 3},
           Bad{"command: x\nresources:\n  chips: [h900]\n", "catalog.unknown_chip", 3},
           Bad{"command: x\nresources:\n  policy: magic\n", "base.wrong_field", 3},
           Bad{"command: x\ntime_limit: soon\n", "base.wrong_field", 2},
           Bad{"command: ''\n", "base.wrong_field", 0},
           Bad{"command: x\nresources: {cards: 3, nodes: 2}\n", "base.wrong_field", 0},
           Bad{"- a\n", "base.wrong_field", 1},
           Bad{"command: [x\n", "base.malformed_yaml", 2},
           Bad{"#!/bin/sh\n#SBATCH --gres=gpu:zero:0\ntrue\n", "base.wrong_field", 2},
           Bad{"#!/bin/sh\n#SBATCH --gress=gpu:1\ntrue\n", "base.wrong_field", 2},
           Bad{"#!/bin/sh\n#SBATCH --gres=gpu:1\n#SBATCH --array=0-9\ntrue\n", "sched.unsupported", 3},
           Bad{"#!/bin/sh\n#SBATCH --gres=gpu:1 --time=1:2:3:4\ntrue\n", "base.wrong_field", 2},
           Bad{"#!/bin/sh\n#SBATCH --gres=gpu:1\n# nothing\n", "base.wrong_field", 0},
           Bad{"#!/bin/sh\ntrue\n", "base.wrong_field", 0},
           Bad{"apiVersion: v1\nkind: Service\nspec: {}\n", "sched.unsupported", 1},
           Bad{"apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {containers: [{name: a, command: [x]}]}}}\n",
               "base.wrong_field", 3},
           Bad{"apiVersion: batch/v1\nkind: Job\nspec: {template: {spec: {containers: [{name: a, resources: {limits: "
               "{nvidia.com/gpu: 1}}}]}}}\n",
               "sched.unsupported", 3},
       }) {
    base::Result<JobSpec> job = parse(bad.content);
    ASSERT_FALSE(job.ok()) << bad.content;
    EXPECT_EQ(job.error().code(), bad.code) << bad.content;
    if (bad.line > 0) {
      EXPECT_EQ(job.error().place().line, bad.line) << bad.content;
    }
  }
}

TEST(Job, UnknownFieldsGetASuggestion) {
  EXPECT_EQ(parse("command: x\nresorces: {cards: 1}\n").error().next_step().en, "did you mean \"resources\"?");
  EXPECT_EQ(parse("#!/bin/sh\n#SBATCH --gress=gpu:1\ntrue\n").error().next_step().en, "did you mean --gres?");
}

TEST(Job, RandomTextNeverCrashes) {
  std::mt19937 random(17);
  const std::vector<std::string> words = {"#SBATCH",
                                          "#!/bin/sh\n",
                                          " --gres=",
                                          "gpu:",
                                          "8",
                                          "\n",
                                          "command: ",
                                          "resources: ",
                                          "{",
                                          "}",
                                          "cards: ",
                                          "kind: Job\n",
                                          "apiVersion: batch/v1\n",
                                          "spec:",
                                          " ",
                                          "-N",
                                          "\"",
                                          "'",
                                          "\\",
                                          ":",
                                          "[",
                                          "]",
                                          "-",
                                          "\t"};
  for (int round = 0; round < 5000; ++round) {
    std::string content;
    for (std::size_t count = random() % 20; count > 0; --count) content += words[random() % words.size()];
    static_cast<void>(parse(content).ok());
  }
}

}  // namespace
}  // namespace starbridge::sched
