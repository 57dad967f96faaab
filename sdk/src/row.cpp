#include "trammel/row.hpp"

#include <utility>

namespace trammel {

RowList::RowList(std::vector<Row> rows) {
  thread_local std::shared_ptr<const std::vector<Row>> last;
  if (rows.empty()) return;
  if (!last || *last != rows) last = std::make_shared<const std::vector<Row>>(std::move(rows));
  rows_ = last;
}

RowList::operator const std::vector<Row>&() const {
  static const std::vector<Row> none;
  return rows_ ? *rows_ : none;
}

}  // namespace trammel
