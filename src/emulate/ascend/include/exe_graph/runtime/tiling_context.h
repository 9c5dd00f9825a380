// The same declarations under another name of CANN.
#pragma once

#include "register/op_def_registry.h"
