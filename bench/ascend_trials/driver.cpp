// Calls one operator as a job file says: its name, then one argument per line.
// What every tensor holds afterwards goes to FILE.out.
//
//   tensor TYPE RANK EXTENT... FILE   (TYPE is aclDataType's number; FILE holds
//   the elements) null | int N | bool 0|1 | float X
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "starbridge/op_arguments.h"

#define CHECK(call)                                                            \
  do {                                                                         \
    const int error_ = (call);                                                 \
    if (error_ != 0) {                                                         \
      std::printf("refused: %s: %d %s\n", #call, error_,                       \
                  aclGetRecentErrMsg());                                       \
      return 3;                                                                \
    }                                                                          \
  } while (0)

namespace {

struct Held {
  void *data;
  std::string file;
  std::size_t bytes;
  bool is_result;
};

std::size_t room(std::size_t bytes) { return bytes > 0 ? bytes : 32; }

} // namespace

int main(int argc, char **argv) {
  std::ifstream job(argc > 1 ? argv[1] : "");
  std::string name, line;
  if (!std::getline(job, name)) {
    std::printf("no job: %s\n", argc > 1 ? argv[1] : "(none named)");
    return 2;
  }
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream;
  CHECK(aclrtCreateStream(&stream));
  std::vector<sb_op_argument> arguments;
  std::vector<Held> held;
  while (std::getline(job, line)) {
    std::istringstream words(line);
    std::string kind, value;
    words >> kind;
    if (kind == "tensor" || kind == "result") {
      int type = 0, rank = 0;
      words >> type >> rank;
      std::vector<int64_t> extents(static_cast<std::size_t>(rank));
      std::size_t count = 1;
      for (int64_t &extent : extents) {
        words >> extent;
        count *= static_cast<std::size_t>(extent);
      }
      Held tensor{nullptr, "",
                  count * aclDataTypeSize(static_cast<aclDataType>(type)),
                  kind == "result"};
      words >> tensor.file;
      CHECK(aclrtMalloc(&tensor.data, room(tensor.bytes),
                        ACL_MEM_MALLOC_HUGE_FIRST));
      if (tensor.is_result) {
        CHECK(aclrtMemset(tensor.data, room(tensor.bytes), 0xFF,
                          room(tensor.bytes)));
      } else if (tensor.bytes > 0) {
        std::vector<char> data(tensor.bytes);
        std::ifstream(tensor.file, std::ios::binary)
            .read(data.data(), static_cast<std::streamsize>(tensor.bytes));
        CHECK(aclrtMemcpy(tensor.data, tensor.bytes, data.data(), tensor.bytes,
                          ACL_MEMCPY_HOST_TO_DEVICE));
      }
      arguments.push_back(sb_op_pack(aclCreateTensor(
          extents.data(), extents.size(), static_cast<aclDataType>(type),
          nullptr, 0, ACL_FORMAT_ND, extents.data(), extents.size(),
          tensor.data)));
      held.push_back(tensor);
      continue;
    }
    words >> value;
    if (kind == "null")
      arguments.push_back(sb_op_pack(nullptr));
    if (kind == "int")
      arguments.push_back(sb_op_pack(
          static_cast<int64_t>(std::strtoll(value.c_str(), nullptr, 10))));
    if (kind == "bool")
      arguments.push_back(sb_op_pack(value == "1"));
    if (kind == "float")
      arguments.push_back(sb_op_pack(std::strtod(value.c_str(), nullptr)));
  }
  uint64_t workspace_bytes = 0;
  void *call = nullptr;
  CHECK(sb_op_prepare(name.c_str(), arguments.data(), arguments.size(),
                      &workspace_bytes, &call));
  void *workspace = nullptr;
  if (workspace_bytes > 0)
    CHECK(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(sb_op_execute(call, workspace, workspace_bytes, stream));
  CHECK(aclrtSynchronizeStream(stream));
  for (const Held &tensor : held) {
    if (tensor.is_result && tensor.bytes > 0) {
      std::vector<char> data(tensor.bytes);
      CHECK(aclrtMemcpy(data.data(), tensor.bytes, tensor.data, tensor.bytes,
                        ACL_MEMCPY_DEVICE_TO_HOST));
      std::ofstream(tensor.file, std::ios::binary)
          .write(data.data(), static_cast<std::streamsize>(tensor.bytes));
    }
    CHECK(aclrtFree(tensor.data));
  }
  if (workspace != nullptr)
    CHECK(aclrtFree(workspace));
  CHECK(aclrtDestroyStream(stream));
  std::printf("done\n");
  return 0;
}
