// What an operator's kernel gets from its host half: tiling data, tiling key, workspace.
#pragma once

namespace AscendC {
SB_DEVICE GM_ADDR GetSysWorkSpacePtr() { return reinterpret_cast<GM_ADDR>(__sb_asc_workspace(0, nullptr)); }
SB_DEVICE void SetSysWorkspace(GM_ADDR workspace) { __sb_asc_workspace(2, workspace); }
SB_DEVICE void SetSysWorkSpace(GM_ADDR workspace) { __sb_asc_workspace(2, workspace); }
SB_DEVICE GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return reinterpret_cast<GM_ADDR>(__sb_asc_workspace(1, workspace)); }

template <class T>
SB_DEVICE void sb_read_tiling(T& to, const void* from) {
  __sb_asc_check_tiling(from, sizeof(T));
  __builtin_memcpy(&to, from, sizeof(T));
}
template <class T>
SB_DEVICE void sb_clear_workspace(T&, GM_ADDR) {}
}  // namespace AscendC
using AscendC::GetSysWorkSpacePtr;
using AscendC::GetUserWorkspace;
using AscendC::SetSysWorkspace;

// The structure of an operator's tiling data: named by the operator's own header (register/tilingdata_base.h) or by
// REGISTER_TILING_DEFAULT.
template <class Key>
struct sb_default_tiling;
#define REGISTER_TILING_DEFAULT(Struct) using sb_registered_tiling = Struct
#define REGISTER_TILING_FOR_TILINGKEY(expression, Struct)
#define GET_TILING_DATA(name, from) \
  sb_registered_tiling name;        \
  AscendC::sb_read_tiling(name, from)
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, from) \
  Struct name;                                          \
  AscendC::sb_read_tiling(name, from)
#define GET_TILING_DATA_MEMBER(Struct, member, name, from)   \
  decltype(Struct::member) name;                             \
  AscendC::sb_read_tiling(name, reinterpret_cast<const char*>(from) + __builtin_offsetof(Struct, member))
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, from) const Struct* name = reinterpret_cast<const Struct*>(from)
#define COPY_TILING_WITH_STRUCT(Struct, from, name)  \
  Struct name##sb_copy;                              \
  AscendC::sb_read_tiling(name##sb_copy, from);      \
  const Struct* name = &name##sb_copy
#define COPY_TILING_WITH_ARRAY(T, count, from, name) \
  T name[count];                                     \
  AscendC::sb_read_tiling(name, from)
#define TILING_KEY_IS(key) (__sb_asc_tiling_key() == (key))
#define TILING_KEY_VAR __sb_asc_tiling_key()
