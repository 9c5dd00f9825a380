#include <gtest/gtest.h>

#include "weights/dump_compare.h"
#include "weights/dump_folder.h"
#include "weights/test_files.h"

namespace starbridge::weights {
namespace {

TEST(DumpName, SaysOperatorAndRole) {
  struct Case {
    const char* name;
    const char* op;
    Role role;
  };
  for (const Case& test : {Case{"Functional.relu.0.forward.input.1", "Functional.relu.0.forward", Role::kInput},
                           {"Functional.relu.0.forward.output.0", "Functional.relu.0.forward", Role::kOutput},
                           {"0012_conv.output", "conv", Role::kOutput},
                           {"12-layer1.0.relu-out", "layer1.0.relu", Role::kOutput},
                           {"Module.fc.Linear.forward.0.parameters.weight", "Module.fc.Linear.forward.0", Role::kParameter},
                           {"step0/rank1/3_matmul.input.0", "step0/rank1/matmul", Role::kInput},
                           {"encoder.input_proj.output.0", "encoder.input_proj", Role::kOutput},
                           {"input", "input", Role::kOutput},
                           {"softmax", "softmax", Role::kOutput},
                           {"7", "7", Role::kOutput}}) {
    std::string op;
    Role role = Role::kParameter;
    split_dump_name(test.name, op, role);
    EXPECT_EQ(op, test.op) << test.name;
    EXPECT_EQ(role, test.role) << test.name;
  }
}

std::string npy(float value) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  header.resize(0x46, ' ');
  return std::string("\x93NUMPY\x01\x00\x46\x00", 10) + header + std::string(reinterpret_cast<const char*>(&value), 4);
}

TEST(DumpFolder, NumbersGoBeforeNamesAndAnOrderBeforeBoth) {
  TempFolder folder;
  for (const char* name : {"10_a.npy", "2_b.npy", "1_c.npy"}) folder.write(name, npy(1));
  DumpFolder dump = read_dump_folder(folder.path(), {}).value();
  EXPECT_EQ(dump.order, DumpOrder::kNumbers);
  std::vector<std::string> ops;
  for (const DumpEntry& entry : dump.entries) ops.push_back(entry.op);
  EXPECT_EQ(ops, (std::vector<std::string>{"c", "b", "a"}));
  folder.write("d.npy", npy(1));
  EXPECT_EQ(read_dump_folder(folder.path(), {}).value().order, DumpOrder::kNames);
  dump = read_dump_folder(folder.path(), {false, {"a", "d"}}).value();
  EXPECT_EQ(dump.order, DumpOrder::kGiven);
  EXPECT_EQ(dump.entries[0].op, "a");
  EXPECT_EQ(dump.entries[1].op, "d");
}

TEST(DumpFolder, ARecordKeepsTheOrderOfItsText) {
  TempFolder folder;
  folder.write("z.forward.output.0.npy", npy(1));
  folder.write("a.forward.output.0.npy", npy(1));
  folder.write("dump.json", R"({"data": {"z.forward": {"output": [{"data_name": "z.forward.output.0.npy"}]},
                                         "a.forward": {"input_kwargs": {"k": {"data_name": "a.forward.output.0.npy"}}}}})");
  DumpFolder dump = read_dump_folder(folder.path(), {}).value();
  EXPECT_EQ(dump.order, DumpOrder::kRecord);
  EXPECT_EQ(dump.entries[0].op, "z.forward");
  EXPECT_EQ(dump.entries[1].role, Role::kInput);
}

TEST(DumpCompare, ManyFilesOnManyThreads) {
  TempFolder left, right;
  for (int index = 0; index < 200; ++index) {
    std::string name = std::to_string(index) + "_op" + std::to_string(index) + ".npy";
    left.write(name, npy(1));
    right.write(name, npy(index < 150 ? 1.0F : 2.0F));
  }
  CompareOptions options;
  options.thread_count = 8;
  options.rule = dump_rule();
  DumpComparison comparison =
      compare_dumps(read_dump_folder(left.path(), {}).value(), read_dump_folder(right.path(), {}).value(), options).value();
  EXPECT_EQ(comparison.operators[*comparison.first_diverging].name, "op150");
  EXPECT_EQ(comparison.operators.size(), 200u);
}

}  // namespace
}  // namespace starbridge::weights
