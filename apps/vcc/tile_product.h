// Products of complete columns, tile by tile, by Eigen.
#ifndef MPIACTOR_APPS_VCC_TILE_PRODUCT_H_
#define MPIACTOR_APPS_VCC_TILE_PRODUCT_H_

#include <cstdint>

namespace mpiactor::vcc {

// product = lower^T * higher. `lower` and `higher` are length x width, column by column; `product`
// is width x width, column by column: entry (i, j) at j * width + i. An entry depends on its two
// columns, its place and the sizes alone: always passing whole tiles, zeros for columns that are
// not at hand, gives the same bits whichever columns are.
void tile_product(const double* lower, const double* higher, std::int64_t length,
                  std::int32_t width, double* product);

}  // namespace mpiactor::vcc

#endif  // MPIACTOR_APPS_VCC_TILE_PRODUCT_H_
