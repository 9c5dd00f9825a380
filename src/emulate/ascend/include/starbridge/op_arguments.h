// How the arguments of aclnnNAMEGetWorkspaceSize become what the runtime takes. Read by the headers written for a program.
#pragma once

#include <tuple>
#include <utility>

#include "aclnn/acl_meta.h"
#include "starbridge/op_abi.h"

extern "C" {
void sb_op_scalar(const aclScalar* scalar, sb_op_value* to);
void sb_op_int_array(const aclIntArray* array, sb_op_value* to);
void sb_op_float_array(const aclFloatArray* array, sb_op_value* to);
}

inline sb_op_argument sb_op_pack(const aclTensor* tensor) {
  sb_op_argument argument = {};
  argument.tensor = tensor;
  argument.is_tensor = 1;
  return argument;
}
inline sb_op_argument sb_op_pack(decltype(nullptr)) { return sb_op_pack(static_cast<const aclTensor*>(nullptr)); }
inline sb_op_argument sb_op_pack(const aclScalar* scalar) {
  sb_op_argument argument = {};
  sb_op_scalar(scalar, &argument.value);
  return argument;
}
inline sb_op_argument sb_op_pack(const aclIntArray* array) {
  sb_op_argument argument = {};
  sb_op_int_array(array, &argument.value);
  return argument;
}
inline sb_op_argument sb_op_pack(const aclFloatArray* array) {
  sb_op_argument argument = {};
  sb_op_float_array(array, &argument.value);
  return argument;
}
inline sb_op_argument sb_op_pack(const char* text) {
  sb_op_argument argument = {};
  argument.value = {sb_op_value::kText, 1, 0, 0, text, nullptr, nullptr, 0};
  return argument;
}
inline sb_op_argument sb_op_pack(double value) {
  sb_op_argument argument = {};
  argument.value = {sb_op_value::kReal, 1, 0, static_cast<float>(value), nullptr, nullptr, nullptr, 0};
  return argument;
}
inline sb_op_argument sb_op_pack(float value) { return sb_op_pack(static_cast<double>(value)); }
inline sb_op_argument sb_op_pack(bool value) {
  sb_op_argument argument = {};
  argument.value = {sb_op_value::kBool, 1, value, 0, nullptr, nullptr, nullptr, 0};
  return argument;
}
inline sb_op_argument sb_op_pack(int64_t value) {
  sb_op_argument argument = {};
  argument.value = {sb_op_value::kWhole, 1, value, static_cast<float>(value), nullptr, nullptr, nullptr, 0};
  return argument;
}
inline sb_op_argument sb_op_pack(int value) { return sb_op_pack(static_cast<int64_t>(value)); }
inline sb_op_argument sb_op_pack(long long value) { return sb_op_pack(static_cast<int64_t>(value)); }
inline sb_op_argument sb_op_pack(unsigned value) { return sb_op_pack(static_cast<int64_t>(value)); }

template <class... A>
aclnnStatus sb_op_prepare_call(const char* name, uint64_t* workspace_bytes, aclOpExecutor** executor, A... given) {
  const sb_op_argument arguments[] = {sb_op_pack(given)...};
  return sb_op_prepare(name, arguments, sizeof...(given), workspace_bytes, reinterpret_cast<void**>(executor));
}

// The last two arguments of the call receive the size of the workspace and the executor: they go first.
template <class F, std::size_t... I, class Tuple>
aclnnStatus sb_op_split_at(F call, std::index_sequence<I...>, const Tuple& all) {
  constexpr std::size_t count = sizeof...(I);
  return call(static_cast<uint64_t*>(std::get<count>(all)), std::get<count + 1>(all), std::get<I>(all)...);
}
template <class F, class... A>
aclnnStatus sb_op_split(F call, A... given) {
  static_assert(sizeof...(A) >= 3, "an operator has a tensor, then come the workspace's size and the executor");
  return sb_op_split_at(call, std::make_index_sequence<sizeof...(A) - 2>(), std::make_tuple(given...));
}
