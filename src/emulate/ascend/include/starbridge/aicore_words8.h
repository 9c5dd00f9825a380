// 8 kernels' worth of definitions. Read many times.
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
#include "starbridge/aicore_word.h"
