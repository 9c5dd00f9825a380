// Operators called by name: the host half's tiling function decides, the kernel is launched with inputs, outputs, workspace and
// tiling data. The callers' objects of ACL live here too.
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "emulate/ascend/loops/loops.h"
#include "emulate/ascend/runtime/acl_launch.h"
#include "emulate/ascend/runtime/check.h"
#include "emulate/ascend/runtime/chip.h"
#include "emulate/common/settings.h"
#include "starbridge/op_abi.h"

struct aclTensor {
  sb_op_tensor value;
};
struct aclScalar {
  sb_op_value value;
};
struct aclIntArray {
  std::vector<int64_t> values;
};
struct aclFloatArray {
  std::vector<float> values;
};
struct aclTensorDesc {
  sb_op_tensor value;
};
struct aclDataBuffer {
  void* data;
  std::size_t size;
};
struct aclopAttr {
  struct Kept {
    sb_op_value value;
    std::string text;
    std::vector<int64_t> wholes;
    std::vector<float> reals;
  };
  std::map<std::string, Kept> values;
};

namespace starbridge::emulate::ascend {

namespace {

constexpr int kOperatorRefused = 161002;  // ACLNN_ERR_PARAM_INVALID

std::map<std::string, const sb_op_description*>& operators() {
  static auto* instance = new std::map<std::string, const sb_op_description*>;
  return *instance;
}

// By the letters of the operator's name.
std::map<std::string, int>& type_columns() {
  static auto* instance = new std::map<std::string, int>;
  return *instance;
}

// One call, planned: what aclnn names an executor.
struct Executor {
  const sb_op_description* description = nullptr;
  std::vector<sb_op_tensor> inputs, outputs;
  sb_op_plan plan = {};
  std::vector<char> tiling;
};

aclError plan(Executor& executor, std::vector<sb_op_value> values) {
  const sb_op_description& description = *executor.description;
  sb_op_call call = {executor.inputs.data(), executor.outputs.data(), values.data()};
  const int refused = description.plan(description.self, &call, &executor.plan);
  if (refused != 0)
    return fail_with(kOperatorRefused, std::string("operator ") + description.name + (refused == 2 ? " has no tiling function" : refused == 3 ? ": its kernel was compiled for other types; -D SB_OP_TYPES=N compiles it for column N of the declared types" : ": its tiling function refuses these shapes, types or attributes"));
  const char* tiling = static_cast<const char*>(executor.plan.tiling);
  executor.tiling.assign(tiling, tiling + executor.plan.tiling_bytes);
  return ACL_SUCCESS;
}

// Launches of operators own their tiling data until the program ends: the stream may be carried out much later.
aclError execute(Executor& executor, void* workspace, aclrtStream stream, const void* place) {
  const sb_op_description& description = *executor.description;
  Kernel* kernel = find_kernel_of_operator(description.name);
  if (kernel == nullptr)
    return fail_with(kOperatorRefused, std::string("no kernel of the program has the name of operator ") + description.name);
  std::vector<void*> values;
  for (const sb_op_tensor& tensor : executor.inputs) values.push_back(tensor.is_given != 0 ? tensor.data : nullptr);
  for (const sb_op_tensor& tensor : executor.outputs) values.push_back(tensor.data);
  values.push_back(workspace);
  void* tiling = nullptr;
  {
    OpenMemory open;
    tiling = allocate(std::max<std::size_t>(executor.tiling.size(), 8), nullptr);
    if (tiling == nullptr) return fail_with(ACL_ERROR_RT_MEMORY_ALLOCATION, "the chip has no room for tiling data");
    std::memcpy(tiling, executor.tiling.data(), executor.tiling.size());
  }
  if (settings().is_check) set_poison(tiling, executor.tiling.size(), false);
  values.push_back(tiling);
  if (kernel->argument_bytes.size() != values.size())
    return fail_with(kOperatorRefused, "kernel " + kernel->readable + " takes " + std::to_string(kernel->argument_bytes.size()) + " arguments; operator " + description.name + " has " +
                                           std::to_string(values.size()) + " with workspace and tiling data");
  std::vector<void*> addresses;
  for (void*& value : values) addresses.push_back(&value);
  return launch(kernel, executor.plan.blocks, static_cast<unsigned>(executor.plan.key), addresses.data(), stream, place);
}

sb_op_tensor describe(aclDataType type, std::uint64_t count, const int64_t* dims, aclFormat format, void* data) {
  sb_op_tensor tensor = {};
  tensor.type = type;
  tensor.format = format;
  tensor.is_given = 1;
  tensor.dim_count = static_cast<int>(std::min<std::uint64_t>(count, SB_OP_DIMS_MAX));
  for (int i = 0; i < tensor.dim_count; ++i) tensor.dims[i] = dims[i];
  tensor.data = data;
  return tensor;
}

std::size_t elements_of(const sb_op_tensor& tensor) {
  std::size_t count = 1;
  for (int i = 0; i < tensor.dim_count; ++i) count *= static_cast<std::size_t>(tensor.dims[i]);
  return count;
}

const sb_op_description* find_operator(const char* name) {
  auto found = operators().find(name);
  if (found != operators().end()) return found->second;
  fail_with(kOperatorRefused, std::string("no operator is called ") + name);
  return nullptr;
}

sb_op_value& keep(aclopAttr* attr, const char* name, sb_op_value value) {
  aclopAttr::Kept& kept = attr->values[name];
  kept.value = value;
  return kept.value;
}

}  // namespace

}  // namespace starbridge::emulate::ascend

using namespace starbridge::emulate;
using namespace starbridge::emulate::ascend;

extern "C" {

void sb_op_register(const sb_op_description* description) { operators()[description->name] = description; }

void sb_op_note_types(const char* stem, int column) { type_columns()[letters_of_name(stem)] = column; }
int sb_op_types_column(const char* name) {
  auto found = type_columns().find(letters_of_name(name));
  return found == type_columns().end() ? -1 : found->second;
}

int sb_op_prepare(const char* name, const sb_op_argument* arguments, std::size_t count, uint64_t* workspace_bytes, void** made) {
  const sb_op_description* description = find_operator(name);
  if (description == nullptr) return kOperatorRefused;
  const std::size_t wanted = static_cast<std::size_t>(description->input_count + description->value_count + description->output_count);
  if (count != wanted)
    return fail_with(kOperatorRefused, std::string("operator ") + name + " takes " + std::to_string(wanted) + " inputs, attributes and outputs, " + std::to_string(count) + " were given");
  auto executor = std::make_unique<Executor>();
  executor->description = description;
  std::vector<sb_op_value> values;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_input = i < static_cast<std::size_t>(description->input_count);
    const bool is_value = !is_input && i < static_cast<std::size_t>(description->input_count + description->value_count);
    if (is_value != (arguments[i].is_tensor == 0))
      return fail_with(kOperatorRefused, std::string("operator ") + name + ": argument " + std::to_string(i) + (is_value ? " is an attribute, a tensor was given" : " is a tensor, a value was given"));
    if (is_value) {
      values.push_back(arguments[i].value);
      continue;
    }
    sb_op_tensor tensor = {};
    if (arguments[i].tensor != nullptr) tensor = static_cast<const aclTensor*>(arguments[i].tensor)->value;
    (is_input ? executor->inputs : executor->outputs).push_back(tensor);
  }
  if (const aclError error = plan(*executor, std::move(values)); error != ACL_SUCCESS) return error;
  *workspace_bytes = executor->plan.workspace_bytes;
  *made = executor.release();
  return ACL_SUCCESS;
}

int sb_op_execute(void* executor, void* workspace, uint64_t, void* stream) {
  if (executor == nullptr) return fail_with(kOperatorRefused, "the call was never prepared");
  std::unique_ptr<Executor> owned(static_cast<Executor*>(executor));
  return execute(*owned, workspace, stream, __builtin_return_address(0));
}

int64_t sb_chip_fact(int what) {
  const Chip& facts = chip();
  const int64_t values[] = {facts.npu_arch, facts.cubes, facts.vectors, facts.ub_free_bytes, facts.l1_bytes, facts.l0a_bytes, facts.l0b_bytes, facts.l0c_bytes, 192LL << 20, int64_t{facts.memory_mib} << 20};
  return what >= 0 && what < static_cast<int>(std::size(values)) ? values[what] : 0;
}

aclTensor* aclCreateTensor(const int64_t* dims, uint64_t count, aclDataType type, const int64_t*, int64_t offset, aclFormat format, const int64_t*, uint64_t, void* data) {
  char* start = static_cast<char*>(data) + static_cast<std::size_t>(offset) * aclDataTypeSize(type);
  return new aclTensor{describe(type, count, dims, format, start)};
}
aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  delete tensor;
  return ACL_SUCCESS;
}
aclScalar* aclCreateScalar(void* value, aclDataType type) {
  auto* scalar = new aclScalar{};
  sb_op_value& to = scalar->value;
  to.is_given = 1;
  to.kind = sb_op_value::kWhole;
  switch (type) {
    case ACL_FLOAT: to.real = *static_cast<float*>(value); to.kind = sb_op_value::kReal; break;
    case ACL_DOUBLE: to.real = static_cast<float>(*static_cast<double*>(value)); to.kind = sb_op_value::kReal; break;
    case ACL_FLOAT16: to.real = aclFloat16ToFloat(*static_cast<aclFloat16*>(value)); to.kind = sb_op_value::kReal; break;
    case ACL_INT64: case ACL_UINT64: to.whole = *static_cast<int64_t*>(value); break;
    case ACL_INT32: to.whole = *static_cast<int32_t*>(value); break;
    case ACL_UINT32: to.whole = *static_cast<uint32_t*>(value); break;
    case ACL_INT16: to.whole = *static_cast<int16_t*>(value); break;
    case ACL_BOOL: to.whole = *static_cast<bool*>(value); to.kind = sb_op_value::kBool; break;
    default: to.whole = *static_cast<int8_t*>(value);
  }
  if (to.kind == sb_op_value::kReal)
    to.whole = static_cast<int64_t>(to.real);
  else
    to.real = static_cast<float>(to.whole);
  return scalar;
}
aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  delete scalar;
  return ACL_SUCCESS;
}
aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count) { return new aclIntArray{{values, values + count}}; }
aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  delete array;
  return ACL_SUCCESS;
}
aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count) { return new aclFloatArray{{values, values + count}}; }
aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  delete array;
  return ACL_SUCCESS;
}
void sb_op_scalar(const aclScalar* scalar, sb_op_value* to) {
  if (scalar != nullptr) *to = scalar->value;
}
void sb_op_int_array(const aclIntArray* array, sb_op_value* to) {
  if (array != nullptr) *to = {sb_op_value::kWholes, 1, 0, 0, nullptr, array->values.data(), nullptr, array->values.size()};
}
void sb_op_float_array(const aclFloatArray* array, sb_op_value* to) {
  if (array != nullptr) *to = {sb_op_value::kReals, 1, 0, 0, nullptr, nullptr, array->values.data(), array->values.size()};
}

aclTensorDesc* aclCreateTensorDesc(aclDataType type, int count, const int64_t* dims, aclFormat format) { return new aclTensorDesc{describe(type, static_cast<std::uint64_t>(std::max(count, 0)), dims, format, nullptr)}; }
void aclDestroyTensorDesc(const aclTensorDesc* desc) { delete desc; }
std::size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) { return elements_of(desc->value); }
std::size_t aclGetTensorDescSize(const aclTensorDesc* desc) { return elements_of(desc->value) * aclDataTypeSize(static_cast<aclDataType>(desc->value.type)); }
aclDataType aclGetTensorDescType(const aclTensorDesc* desc) { return static_cast<aclDataType>(desc->value.type); }
aclDataBuffer* aclCreateDataBuffer(void* data, std::size_t size) { return new aclDataBuffer{data, size}; }
aclError aclDestroyDataBuffer(const aclDataBuffer* buffer) {
  delete buffer;
  return ACL_SUCCESS;
}
void* aclGetDataBufferAddr(const aclDataBuffer* buffer) { return buffer->data; }
aclopAttr* aclopCreateAttr() { return new aclopAttr; }
void aclopDestroyAttr(const aclopAttr* attr) { delete attr; }
aclError aclopSetAttrInt(aclopAttr* attr, const char* name, int64_t value) {
  keep(attr, name, {sb_op_value::kWhole, 1, value, static_cast<float>(value), nullptr, nullptr, nullptr, 0});
  return ACL_SUCCESS;
}
aclError aclopSetAttrFloat(aclopAttr* attr, const char* name, float value) {
  keep(attr, name, {sb_op_value::kReal, 1, 0, value, nullptr, nullptr, nullptr, 0});
  return ACL_SUCCESS;
}
aclError aclopSetAttrBool(aclopAttr* attr, const char* name, uint8_t value) {
  keep(attr, name, {sb_op_value::kBool, 1, value != 0, 0, nullptr, nullptr, nullptr, 0});
  return ACL_SUCCESS;
}
aclError aclopSetAttrString(aclopAttr* attr, const char* name, const char* value) {
  std::string& text = attr->values[name].text = value;
  keep(attr, name, {sb_op_value::kText, 1, 0, 0, text.c_str(), nullptr, nullptr, 0});
  return ACL_SUCCESS;
}
aclError aclopSetAttrListInt(aclopAttr* attr, const char* name, int count, const int64_t* values) {
  auto& kept = attr->values[name].wholes;
  kept.assign(values, values + count);
  keep(attr, name, {sb_op_value::kWholes, 1, 0, 0, nullptr, kept.data(), nullptr, kept.size()});
  return ACL_SUCCESS;
}
aclError aclopSetAttrListFloat(aclopAttr* attr, const char* name, int count, const float* values) {
  auto& kept = attr->values[name].reals;
  kept.assign(values, values + count);
  keep(attr, name, {sb_op_value::kReals, 1, 0, 0, nullptr, nullptr, kept.data(), kept.size()});
  return ACL_SUCCESS;
}
aclError aclopSetModelDir(const char*) { return ACL_SUCCESS; }
aclError aclopExecuteV2(const char* name, int input_count, aclTensorDesc* input_descs[], aclDataBuffer* inputs[], int output_count, aclTensorDesc* output_descs[], aclDataBuffer* outputs[], aclopAttr* attr,
                        aclrtStream stream) {
  const sb_op_description* description = find_operator(name);
  if (description == nullptr) return kOperatorRefused;
  if (input_count > description->input_count || output_count != description->output_count)
    return fail_with(kOperatorRefused, std::string("operator ") + name + " has " + std::to_string(description->input_count) + " inputs and " + std::to_string(description->output_count) + " outputs");
  Executor executor;
  executor.description = description;
  executor.inputs.resize(static_cast<std::size_t>(description->input_count));
  for (int i = 0; i < input_count; ++i) {
    executor.inputs[static_cast<std::size_t>(i)] = input_descs[i]->value;
    executor.inputs[static_cast<std::size_t>(i)].data = inputs[i]->data;
  }
  for (int i = 0; i < output_count; ++i) {
    executor.outputs.push_back(output_descs[i]->value);
    executor.outputs.back().data = outputs[i]->data;
  }
  std::vector<sb_op_value> values(static_cast<std::size_t>(description->value_count));
  for (int i = 0; attr != nullptr && i < description->value_count; ++i) {
    auto found = attr->values.find(description->value_names[i]);
    if (found != attr->values.end()) values[static_cast<std::size_t>(i)] = found->second.value;
  }
  if (const aclError error = plan(executor, std::move(values)); error != ACL_SUCCESS) return error;
  void* workspace = nullptr;
  if (executor.plan.workspace_bytes > 0) {
    OpenMemory open;
    workspace = allocate(executor.plan.workspace_bytes, nullptr);
    if (workspace == nullptr) return fail_with(ACL_ERROR_RT_MEMORY_ALLOCATION, "the chip has no room for the workspace");
  }
  return execute(executor, workspace, stream, __builtin_return_address(0));
}
}
