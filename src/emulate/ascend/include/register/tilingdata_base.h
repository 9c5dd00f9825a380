// Tiling data of an operator: declared field by field on the host. The structure has the bytes that its kernel reads.
#pragma once

#include <stdint.h>
#include <string.h>

#include "starbridge/cube_tiling.h"
#include "starbridge/ge_context.h"

namespace optiling {

// The host's view of TCubeTiling.
struct TCubeTiling : ::TCubeTiling {
#define SB_CUBE_ACCESS(name)                         \
  void set_##name(int32_t value) { name = value; }   \
  int32_t get_##name() const { return name; }
  SB_CUBE_FIELDS(SB_CUBE_ACCESS)
#undef SB_CUBE_ACCESS
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(Name)                                                          \
  class Name {                                                                               \
   public:                                                                                   \
    using SbSelf = Name;                                                                     \
    void SaveToBuffer(void* to, size_t capacity) {                                           \
      if (capacity >= sizeof(SbSelf)) memcpy(to, this, sizeof(SbSelf));                      \
    }                                                                                        \
    size_t GetDataSize() const { return sizeof(SbSelf); }
#define TILING_DATA_FIELD_DEF(Type, name)        \
  void set_##name(Type value) { this->name = value; }  \
  Type get_##name() const { return name; }       \
  Type name = {};
#define TILING_DATA_FIELD_DEF_ARR(Type, count, name)                                          \
  void set_##name(const Type* values) { memcpy(name, values, sizeof(name)); }                 \
  Type* get_##name() { return name; }                                                         \
  Type name[count] = {};
#define TILING_DATA_FIELD_DEF_STRUCT(Type, name) Type name;
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(Operator, Class) static_assert(sizeof(Class) > 0, "tiling data has fields");
