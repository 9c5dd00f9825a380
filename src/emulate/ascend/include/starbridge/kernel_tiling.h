// The words that declare tiling data, as a kernel reads them: a plain structure.
#pragma once

#include "starbridge/cube_tiling.h"

#define BEGIN_TILING_DATA_DEF(Name) struct Name {
#define TILING_DATA_FIELD_DEF(Type, name) Type name;
#define TILING_DATA_FIELD_DEF_ARR(Type, count, name) Type name[count];
#define TILING_DATA_FIELD_DEF_STRUCT(Type, name) Type name;
#define END_TILING_DATA_DEF }
