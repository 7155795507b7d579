#include "apps/vcc/tile_product.h"

#include <Eigen/Core>

namespace mpiactor::vcc {

void tile_product(const double* lower, const double* higher, std::int64_t length,
                  std::int32_t width, double* product) {
  using Tile = Eigen::Map<const Eigen::MatrixXd>;
  Eigen::Map<Eigen::MatrixXd>(product, width, width).noalias() =
      Tile(lower, length, width).transpose() * Tile(higher, length, width);
}

}  // namespace mpiactor::vcc
