#include "actor/container/torus.h"

#include <sstream>
#include <stdexcept>
#include <vector>

#include "actor/config/torus_spec.h"

namespace mpiactor {
Torus Torus::parse(std::string_view text, const std::string& file_text) {
  Torus torus;
  try {
    if (text == "auto") {
      torus.factored = true;
    } else if (text.starts_with(kTorusFilePrefix)) {
      std::istringstream in(file_text);
      torus.coordinates.emplace(in, std::string(text.substr(kTorusFilePrefix.size())));
    } else if (!text.empty()) {
      torus.shape = inter::parse_shape(text);
    }
  } catch (const inter::TorusError& error) {
    throw std::invalid_argument(error.what());
  }
  return torus;
}

inter::TorusView torus_view(const Torus& torus, std::span<const Place> places,
                            const NodeMap& nodes) {
  const int count = nodes.nodes();
  const inter::TorusView line = inter::TorusView::in_order(inter::Shape::line(count));
  if (torus.factored) return inter::TorusView::in_order(inter::factored_shape(count));
  if (torus.shape && torus.shape->nodes() == count) return inter::TorusView::in_order(*torus.shape);
  if (!torus.coordinates) return line;
  std::vector<std::string> hosts;
  for (int node = 0; node < count; ++node) {
    const int rank = nodes.members(node).front();
    hosts.push_back(torus.hosts.at(places[static_cast<std::size_t>(rank)].node));
  }
  try {
    return torus.coordinates->view_of(hosts, std::nullopt);
  } catch (const std::runtime_error&) {
    return line;  // a communicator whose nodes do not fill a box
  }
}

}  // namespace mpiactor
