// 64 kernels' worth of definitions. Read many times.
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
#include "starbridge/aicore_words8.h"
