// TCubeTiling: how a product is cut over cores. The same bytes on the host and on the core.
#pragma once

#include <stdint.h>

#define SB_CUBE_FIELDS(X)                                                                                                                      \
  X(usedCoreNum) X(M) X(N) X(Ka) X(Kb) X(singleCoreM) X(singleCoreN) X(singleCoreK) X(baseM) X(baseN) X(baseK) X(depthA1) X(depthB1) X(stepM)  \
  X(stepN) X(isBias) X(transLength) X(iterateOrder) X(shareMode) X(shareL1Size) X(shareL0CSize) X(shareUbSize) X(batchM) X(batchN)             \
  X(singleBatchM) X(singleBatchN) X(stepKa) X(stepKb) X(depthAL1CacheUB) X(depthBL1CacheUB) X(dbL0A) X(dbL0B) X(dbL0C) X(ALayoutInfoB)         \
  X(ALayoutInfoS) X(ALayoutInfoN) X(ALayoutInfoG) X(ALayoutInfoD) X(BLayoutInfoB) X(BLayoutInfoS) X(BLayoutInfoN) X(BLayoutInfoG)              \
  X(BLayoutInfoD) X(CLayoutInfoB) X(CLayoutInfoS1) X(CLayoutInfoN) X(CLayoutInfoG) X(CLayoutInfoS2) X(BatchNum)
#define SB_CUBE_FIELD(name) int32_t name = 0;
struct TCubeTiling {
  SB_CUBE_FIELDS(SB_CUBE_FIELD)
  int32_t reserved[6] = {};
};
#undef SB_CUBE_FIELD
