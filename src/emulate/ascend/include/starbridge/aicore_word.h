// One kernel's worth of definitions of SB_AICORE (attributes.h). Read many times.
#undef SB_AICORE
#define SB_AICORE __attribute__((device))
#pragma push_macro("SB_AICORE")
#undef SB_AICORE
#define SB_AICORE _Pragma("pop_macro(\"SB_AICORE\")")
#pragma push_macro("SB_AICORE")
