// SPDX-License-Identifier: Apache-2.0
// A report as data, and its two forms.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct DataTable {
  std::string caption;
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
  std::size_t texts = 1;     ///< columns of text at the left; the others are numbers
  bool unfolded = false;     ///< shown at once, however long
  bool text_at_end = false;  ///< the last column is text, too
};

struct Section {
  std::string id;
  std::string title;
  std::vector<std::string> paragraphs = {};
  std::vector<std::pair<std::string, int>> legend = {};  ///< names and colours of what the charts show
  std::vector<std::string> charts = {};                  ///< SVG
  std::vector<DataTable> tables = {};                    ///< the charts' figures too
};

struct Document {
  std::string title;
  std::vector<std::string> paragraphs;  ///< below the title
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> figures;  ///< headline: value and what it is
  std::vector<Section> sections;
};

/// One self-contained page.
std::string to_html(const Document& document);
/// The same without charts.
std::string to_markdown(const Document& document);

}  // namespace bench
