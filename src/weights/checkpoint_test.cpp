#include "weights/checkpoint.h"

#include <gmock/gmock.h>

#include "weights/numpy_file.h"
#include "weights/test_files.h"

namespace starbridge::weights {
namespace {

using testing::HasSubstr;

std::string code_of(const std::string& path) {
  base::Result<Checkpoint> checkpoint = open_checkpoint(path);
  return checkpoint.ok() ? "" : checkpoint.error().code();
}

TEST(Safetensors, ReadsTensorsAndMetadata) {
  TempFolder folder;
  std::string path = folder.write("a.safetensors", safetensors_of(R"({"__metadata__":{"format":"pt"},
      "b":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"a":{"dtype":"BF16","shape":[],"data_offsets":[24,26]},
      "none":{"dtype":"I64","shape":[0,5],"data_offsets":[26,26]}} )",
                                                                  std::string(26, 'x')));
  Checkpoint checkpoint = open_checkpoint(path).value();
  ASSERT_EQ(checkpoint.tensors.size(), 3u);
  EXPECT_EQ(checkpoint.tensors[0].name, "b");
  EXPECT_EQ(checkpoint.tensors[0].shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(checkpoint.tensors[1].dtype, DType::kBf16);
  EXPECT_EQ(byte_count(checkpoint.tensors[2]), 0u);
  EXPECT_EQ(checkpoint.metadata.at("format"), "pt");
}

TEST(Safetensors, RefusesWhatTheFormatRefuses) {
  struct Case {
    const char* header;
    std::size_t bytes;
    const char* code;
  };
  const std::vector<Case> cases = {
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 9, "weights.malformed"},            // bytes behind
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7, "weights.tensor_out_of_range"},  // too few
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12, "weights.tensor_out_of_range"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})", 12,
       "weights.tensor_out_of_range"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12,
       "weights.tensor_out_of_range"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8, "weights.tensor_out_of_range"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8, "weights.unsupported"},
      {R"({"a":{"dtype":"F32","shape":[2]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]}})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8,
       "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[18446744073709551615,18446744073709551615],"data_offsets":[0,8]}})", 8,
       "weights.tensor_out_of_range"},
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,8]}})", 8, "weights.tensor_out_of_range"},
      {R"({"a":[1,2]})", 8, "weights.malformed"},
      {R"({"a":{"dtype":{"b":1},"shape":[2],"data_offsets":[0,8]}})", 8, "weights.malformed"},
      {R"({"__metadata__":{"a":1}})", 0, "weights.malformed"},
      {R"({"a":null})", 8, "weights.malformed"},
      {R"({"a":{"dtype":"F32","shape":[[2]],"data_offsets":[0,8]}})", 8, "weights.malformed"},
      {R"({"a":)", 8, "weights.malformed"}};
  TempFolder folder;
  for (const Case& test : cases) {
    std::string path = folder.write("bad.safetensors", safetensors_of(test.header, std::string(test.bytes, 'x')));
    EXPECT_EQ(code_of(path), test.code) << test.header;
  }
}

TEST(Safetensors, RefusesHeadersThatLie) {
  TempFolder folder;
  std::string huge;
  append_le<std::uint64_t>(huge, std::uint64_t{1} << 60);
  EXPECT_EQ(code_of(folder.write("huge.safetensors", huge + "{}")), "weights.limit");
  std::string beyond;
  append_le<std::uint64_t>(beyond, 1000);
  EXPECT_EQ(code_of(folder.write("beyond.safetensors", beyond + "{}")), "weights.malformed");
  EXPECT_EQ(code_of(folder.write("short.safetensors", "abc")), "weights.malformed");
  EXPECT_EQ(code_of(folder.write("empty.safetensors", "")), "weights.malformed");
}

TEST(Safetensors, AHeaderMayHaveDuplicateKeysOnlyInItsNestingOfAnotherTensor) {
  TempFolder folder;
  std::string path =
      folder.write("a.safetensors", safetensors_of(R"({"dtype":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  EXPECT_EQ(open_checkpoint(path).value().tensors[0].name, "dtype");
}

TEST(TorchZip, ReadsTensorsWithTheirDevices) {
  TempFolder folder;
  PickledTensor weight{"FloatStorage", "0", "cuda:1", 6, 0, {2, 3}, {3, 1}};
  PickledTensor view{"FloatStorage", "0", "cuda:1", 6, 1, {2}, {3}};
  std::string path =
      folder.write("a.pt", torch_zip(pickled_dict({{"weight", weight}, {"view", view}}), {{"0", std::string(24, 'x')}}));
  Checkpoint checkpoint = open_checkpoint(path).value();
  ASSERT_EQ(checkpoint.tensors.size(), 2u);
  EXPECT_EQ(checkpoint.tensors[0].device, "cuda:1");
  EXPECT_EQ(checkpoint.tensors[1].offset, 1u);
  EXPECT_EQ(checkpoint.tensors[0].storage, checkpoint.tensors[1].storage);
}

TEST(TorchZip, RefusesTensorsOutsideTheirStorage) {
  struct Case {
    PickledTensor tensor;
    const char* code;
  };
  const std::int64_t kHuge = INT64_MAX;
  const std::vector<Case> cases = {{{"FloatStorage", "0", "cpu", 6, 1, {2, 3}, {3, 1}}, "weights.tensor_out_of_range"},
                                   {{"FloatStorage", "0", "cpu", 6, 0, {2, 3}, {4, 1}}, "weights.tensor_out_of_range"},
                                   {{"FloatStorage", "0", "cpu", 6, kHuge, {1}, {1}}, "weights.tensor_out_of_range"},
                                   {{"FloatStorage", "0", "cpu", 6, 0, {kHuge, kHuge}, {1, 1}}, "weights.tensor_out_of_range"},
                                   {{"FloatStorage", "0", "cpu", 6, 0, {2}, {kHuge}}, "weights.tensor_out_of_range"},
                                   {{"FloatStorage", "0", "cpu", 6, 0, {kHuge / 1024}, {0}}, "weights.limit"},
                                   {{"FloatStorage", "0", "cpu", 7, 0, {2}, {1}}, "weights.malformed"},
                                   {{"FloatStorage", "0", "cpu", 5, 0, {2}, {1}}, "weights.malformed"},
                                   {{"FloatStorage", "0", "cpu", kHuge, 0, {2}, {1}}, "weights.malformed"},
                                   {{"FloatStorage", "0", "cpu", -6, 0, {2}, {1}}, "weights.malformed"},
                                   {{"FloatStorage", "1", "cpu", 6, 0, {2}, {1}}, "weights.malformed"},
                                   {{"FloatStorage", "../0", "cpu", 6, 0, {2}, {1}}, "weights.malformed"},
                                   {{"StrangeStorage", "0", "cpu", 6, 0, {2}, {1}}, "weights.unsupported"}};
  TempFolder folder;
  for (const Case& test : cases) {
    std::string path = folder.write("bad.pt", torch_zip(pickled_dict({{"weight", test.tensor}}), {{"0", std::string(24, 'x')}}));
    EXPECT_EQ(code_of(path), test.code) << test.tensor.storage_type << " " << test.tensor.count << " " << test.tensor.offset;
  }
}

// A negative stride or size is no tensor: the call is kept closed instead, and nothing is read through it.
TEST(TorchZip, NegativeStridesAndSizesAreNoTensors) {
  TempFolder folder;
  for (const PickledTensor& tensor :
       {PickledTensor{"FloatStorage", "0", "cpu", 6, 5, {2}, {-1}}, PickledTensor{"FloatStorage", "0", "cpu", 6, 0, {-2}, {1}},
        PickledTensor{"FloatStorage", "0", "cpu", 6, -1, {2}, {1}},
        PickledTensor{"FloatStorage", "0", "cpu", 6, 0, {2, 2}, {1}}}) {
    std::string path = folder.write("bad.pt", torch_zip(pickled_dict({{"weight", tensor}}), {{"0", std::string(24, 'x')}}));
    Checkpoint checkpoint = open_checkpoint(path).value();
    EXPECT_EQ(checkpoint.closed_objects.count("torch._utils._rebuild_tensor_v2"), 1u);
    for (const Tensor& found : checkpoint.tensors) EXPECT_NE(found.name, "weight");
  }
}

TEST(TorchZip, AMillionViewsOfOneStorageAreRefused) {
  TempFolder folder;
  PickledTensor view{"ByteStorage", "0", "cpu", 1 << 20, 0, {1 << 20}, {1}};
  std::string pickle = "\x80\x02](";
  std::string call = pickled_tensor(view);
  for (int copy = 0; copy < 3000; ++copy) pickle += call;
  std::string path = folder.write("bomb.pt", torch_zip(pickle + "e.", {{"0", std::string(1 << 20, 'x')}}));
  EXPECT_EQ(code_of(path), "weights.limit");
}

TEST(TorchZip, WhatItDoesNotKnowStaysClosedAndIsNamed) {
  TempFolder folder;
  std::string pickle = "\x80\x02}(" + pickled_text("run") + "cposix\nsystem\n" + pickled_text("touch /tmp/never") + "\x85R" +
                       pickled_text("model") + "cmy.module\nNet\n)\x81}" + pickled_text("weight") +
                       pickled_tensor({"FloatStorage", "0", "cpu", 1, 0, {1}, {1}}) + "sb" + "u.";
  Checkpoint checkpoint = open_checkpoint(folder.write("a.pt", torch_zip(pickle, {{"0", "xxxx"}}))).value();
  EXPECT_EQ(checkpoint.closed_objects, (std::map<std::string, std::size_t>{{"my.module.Net", 1}, {"posix.system", 1}}));
  EXPECT_EQ(checkpoint.dangerous, (std::vector<std::string>{"posix.system"}));
  ASSERT_NE(checkpoint.find("model.weight"), nullptr);
}

TEST(TorchZip, TheLastOfTwoEqualKeysCounts) {
  TempFolder folder;
  PickledTensor first{"FloatStorage", "0", "cpu", 6, 0, {6}, {1}}, second{"FloatStorage", "0", "cpu", 6, 0, {2, 3}, {3, 1}};
  std::string path =
      folder.write("a.pt", torch_zip(pickled_dict({{"weight", first}, {"weight", second}}), {{"0", std::string(24, 'x')}}));
  Checkpoint checkpoint = open_checkpoint(path).value();
  ASSERT_EQ(checkpoint.tensors.size(), 1u);
  EXPECT_EQ(checkpoint.tensors[0].shape.size(), 2u);
}

TEST(OpenCheckpoint, RefusesOtherFiles) {
  TempFolder folder;
  EXPECT_EQ(code_of(folder.path() + "/none.pt"), "base.file_not_found");
  EXPECT_EQ(code_of(folder.path()), "weights.unknown_format");
  EXPECT_EQ(code_of(folder.write("text.pt", "hello, this is no checkpoint\n")), "weights.unknown_format");
  EXPECT_EQ(code_of(folder.write("empty.pt", "")), "weights.unknown_format");
  EXPECT_EQ(code_of(folder.write("other.zip", zip_of({{"readme", "x", false}}))), "weights.unknown_format");
  EXPECT_EQ(code_of("/dev/zero"), "base.not_a_file");
}

TEST(OpenCheckpoint, PutsShardsTogether) {
  TempFolder folder;
  folder.write("model-00001-of-00002.safetensors",
               safetensors_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  folder.write(
      "model-00002-of-00002.safetensors",
      safetensors_of(
          R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"c":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "yz"));
  EXPECT_EQ(open_checkpoint(folder.path()).value().tensors.size(), 3u);
  std::string index = folder.write(
      "model.safetensors.index.json",
      R"({"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors","c":"model-00002-of-00002.safetensors"}})");
  for (const std::string& path : {index, folder.path()}) {
    Checkpoint checkpoint = open_checkpoint(path).value();
    EXPECT_EQ(checkpoint.files.size(), 2u);
    EXPECT_EQ(checkpoint.find("b")->shard, 1u);
    EXPECT_TRUE(checkpoint.remarks.empty());
  }
  folder.write("model.safetensors.index.json",
               R"({"weight_map":{"a":"model-00001-of-00002.safetensors","b":"model-00002-of-00002.safetensors"}})");
  EXPECT_EQ(open_checkpoint(index).value().remarks.size(), 1u);
}

TEST(OpenCheckpoint, RefusesIndicesThatLie) {
  TempFolder folder;
  folder.write("one.safetensors", safetensors_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  folder.write("two.safetensors", safetensors_of(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  auto code_with = [&](const std::string& map) { return code_of(folder.write("m.index.json", R"({"weight_map":)" + map + "}")); };
  EXPECT_EQ(code_with(R"({"a":"../one.safetensors"})"), "weights.unsafe_name");
  EXPECT_EQ(code_with(R"({"a":"/etc/passwd"})"), "weights.unsafe_name");
  EXPECT_EQ(code_with(R"({"a":"one.safetensors","b":"one.safetensors"})"), "weights.malformed");
  EXPECT_EQ(code_with(R"({"a":"one.safetensors","b":"two.safetensors"})"), "weights.malformed");
  EXPECT_EQ(code_with(R"({"a":"none.safetensors"})"), "base.file_not_found");
  EXPECT_EQ(code_with(R"({"a":1})"), "weights.malformed");
  EXPECT_EQ(code_with("{}"), "weights.malformed");
  EXPECT_EQ(code_with("[]"), "weights.malformed");
}

TEST(Numpy, ReadsHeaders) {
  NpyHeader header = parse_npy_header("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }   \n").value();
  EXPECT_EQ(header.dtype, DType::kF64);
  EXPECT_TRUE(header.is_big_endian);
  EXPECT_TRUE(header.is_fortran);
  EXPECT_EQ(header.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_TRUE(parse_npy_header("{\"descr\":\"|b1\",'fortran_order':False,'shape':()}").value().shape.empty());
  EXPECT_EQ(parse_npy_header("{'descr':'<i4','fortran_order':False,'shape':(7L,)}").value().shape.size(), 1u);
}

TEST(Numpy, RefusesWhatIsNoArrayOfNumbers) {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': 1, 'shape': (2,)}",
        "{'descr':'<f4','fortran_order':False,'shape':(-2,)}", "{'descr':'<f4','fortran_order':False,'shape':(2,)} x",
        "{'descr':'<f4','fortran_order':False,'shape':2}", "__import__('os')",
        "{'descr':'<f4','fortran_order':False,'shape':(2,),'x':1}"}) {
    EXPECT_EQ(parse_npy_header(text).error().code(), "weights.malformed") << text;
  }
  for (const char* type : {"'|O'", "[('a', '<f4')]", "'<U5'", "'<M8[ns]'"}) {
    EXPECT_EQ(parse_npy_header(std::string("{'descr':") + type + ",'fortran_order':False,'shape':(2,)}").error().code(),
              "weights.unsupported")
        << type;
  }
}

}  // namespace
}  // namespace starbridge::weights
