// The same declarations under another name of CANN.
#pragma once

#include "starbridge/ge_context.h"
