// SPDX-License-Identifier: Apache-2.0
#include "report/document.hpp"

#include <sstream>

#include "report/chart.hpp"

namespace bench {
namespace {

constexpr int kColours = 16;
constexpr std::size_t kChartsShown = 12;
constexpr std::size_t kRowsShown = 16;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2329; --soft: #5b6670; --line: #dfe3e7; --panel: #f6f8f9;
  --accent: #0b62a8; --warn: #fff4d6; --warn-ink: #6b4a00; --ahead: #1d7044; --behind: #b3261e;
  --s0: #7c868f; --s1: #0b62a8; --s2: #2fa4c7; --s3: #d1620a; --s4: #e7a33a; --s5: #2e8b57; --s6: #9b4fa5;
  --s7: #c2334d; --s8: #6d5b3b; --s9: #4b4ddb; --s10: #00897b; --s11: #e2699d; --s12: #8bb13b; --s13: #3e4a56;
  --s14: #b08bd9; --s15: #a33b12; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181c; --ink: #e6eaed; --soft: #9aa6b0; --line: #2c343b;
  --panel: #1b2126; --accent: #6cb4ee; --warn: #3a2f10; --warn-ink: #f1d48a; --ahead: #6fcf97; --behind: #ff8f85;
  --s0: #98a3ad; --s1: #5aa9ec; --s2: #63d0e8; --s3: #f08c3c; --s4: #f4c669; --s5: #5fc58c; --s6: #c98bd2;
  --s7: #ef6f86; --s8: #c0a777; --s9: #8f91ff; --s10: #4dd0c1; --s11: #f59cc2; --s12: #b9d977; --s13: #c5d0da;
  --s14: #d3bdf0; --s15: #e0835f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 8px 0 4px; }
h2 { font-size: 1.3rem; margin: 48px 0 8px; padding-top: 16px; border-top: 1px solid var(--line); }
p { max-width: 76ch; margin: 8px 0; }
ul { max-width: 76ch; padding-left: 1.2em; }
.soft { color: var(--soft); }
.warning { background: var(--warn); color: var(--warn-ink); padding: 10px 14px; border-radius: 8px; max-width: none; }
nav { display: flex; flex-wrap: wrap; gap: 6px 16px; margin: 16px 0; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 20px 0; }
.tile { background: var(--panel); border-radius: 10px; padding: 14px 14px; }
.tile b { display: block; font-size: 1.4rem; letter-spacing: -.01em; line-height: 1.2; color: var(--accent); font-variant-numeric: tabular-nums; }
.tile span { color: var(--soft); font-size: .88rem; line-height: 1.35; display: block; margin-top: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 12px 0; font-size: .9rem; padding: 0; list-style: none; max-width: none; }
.legend i { display: inline-block; width: 14px; height: 4px; border-radius: 2px; margin: 0 6px 3px 0; background: var(--c); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(310px, 100%), 1fr)); gap: 22px 28px; margin: 16px 0; }
#then-and-now .charts { grid-template-columns: minmax(0, 720px); }
svg { width: 100%; height: auto; display: block; overflow: visible; }
svg text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); font-variant-numeric: tabular-nums; }
figcaption { font-size: .85rem; font-weight: 600; line-height: 1.3; }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .label { fill: var(--ink); font-size: 11.5px; } svg .value { fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 5px; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg polyline { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
svg circle, svg rect { fill: var(--c); } svg .spread { stroke: var(--c); stroke-width: 1; opacity: .45; }
svg .whisker { stroke: var(--ink); stroke-width: 1; opacity: .55; }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; } .t { text-align: left; white-space: normal; }
.ahead { color: var(--ahead); } .behind { color: var(--behind); }
details { margin: 10px 0; } summary { cursor: pointer; color: var(--accent); }
)";

void write_paragraphs(std::ostream& out, const std::vector<std::string>& paragraphs) {
  bool list = false;
  for (const std::string& text : paragraphs) {
    const bool item = text.starts_with("- ");
    if (item != list) out << (item ? "<ul>\n" : "</ul>\n");
    list = item;
    out << (item ? "<li>" : "<p>") << escaped(item ? text.substr(2) : text) << (item ? "</li>\n" : "</p>\n");
  }
  if (list) out << "</ul>\n";
}

void write_row(std::ostream& out, const std::vector<std::string>& cells, const DataTable& table, const char* tag) {
  out << "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out << '<' << tag;
    if (i < table.texts || (table.text_at_end && i + 1 == cells.size())) {
      out << " class=\"t\"";
    } else if (cells[i].ends_with(" ahead") || cells[i].ends_with(" behind")) {
      out << " class=\"" << cells[i].substr(cells[i].rfind(' ') + 1) << '"';
    } else if (cells[i].ends_with(" ?")) {
      out << " class=\"soft\"";
    }
    out << '>' << escaped(cells[i]) << "</" << tag << '>';
  }
  out << "</tr>\n";
}

void write_table(std::ostream& out, const DataTable& table, bool fold) {
  fold = !table.unfolded && (fold || table.rows.size() > kRowsShown);
  if (fold) out << "<details><summary>" << escaped(table.caption) << ", as a table</summary>\n";
  if (!fold) out << "<p class=\"soft\">" << escaped(table.caption) << "</p>\n";
  out << "<div class=\"scroll\"><table>";
  out << "<thead>";
  write_row(out, table.heads, table, "th");
  out << "</thead><tbody>\n";
  for (const auto& row : table.rows) write_row(out, row, table, "td");
  out << "</tbody></table></div>\n" << (fold ? "</details>\n" : "");
}

void write_charts(std::ostream& out, const std::vector<std::string>& charts) {
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (i == 0) out << "<div class=\"charts\">\n";
    if (i == kChartsShown) {
      out << "</div>\n<details><summary>" << charts.size() - i << " more charts</summary><div class=\"charts\">\n";
    }
    out << "<figure style=\"margin:0\">" << charts[i] << "</figure>\n";
  }
  if (!charts.empty()) out << "</div>\n" << (charts.size() > kChartsShown ? "</details>\n" : "");
}

void write_section(std::ostream& out, const Section& section) {
  out << "<section id=\"" << section.id << "\"><h2>" << escaped(section.title) << "</h2>\n";
  write_paragraphs(out, section.paragraphs);
  if (!section.legend.empty()) {
    out << "<ul class=\"legend\">";
    for (const auto& [name, colour] : section.legend) {
      out << "<li class=\"s" << colour << "\"><i></i>" << escaped(name) << "</li>";
    }
    out << "</ul>\n";
  }
  write_charts(out, section.charts);
  for (const DataTable& table : section.tables) write_table(out, table, !section.charts.empty());
  out << "</section>\n";
}

std::string cell_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

void write_markdown_table(std::ostream& out, const DataTable& table) {
  out << "\n*" << table.caption << "*\n\n|";
  for (const std::string& head : table.heads) out << ' ' << cell_text(head) << " |";
  out << "\n|";
  for (std::size_t i = 0; i < table.heads.size(); ++i) out << (i < table.texts ? "---|" : "---:|");
  out << '\n';
  for (const auto& row : table.rows) {
    out << '|';
    for (const std::string& cell : row) out << ' ' << cell_text(cell) << " |";
    out << '\n';
  }
}

}  // namespace

std::string to_html(const Document& document) {
  std::ostringstream out;
  out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" << escaped(document.title)
      << "</title>\n<style>" << kStyle;
  for (int i = 0; i < kColours; ++i) out << ".s" << i << " { --c: var(--s" << i << "); }\n";
  out << "</style></head><body><main>\n<h1>" << escaped(document.title) << "</h1>\n<div class=\"soft\">";
  write_paragraphs(out, document.paragraphs);
  out << "</div>\n";
  for (const std::string& warning : document.warnings) out << "<p class=\"warning\">" << escaped(warning) << "</p>\n";
  if (!document.figures.empty()) {
    out << "<div class=\"tiles\">";
    for (const auto& [value, what] : document.figures) {
      out << "<div class=\"tile\"><b>" << escaped(value) << "</b><span>" << escaped(what) << "</span></div>\n";
    }
    out << "</div>\n";
  }
  out << "<nav>";
  for (const Section& section : document.sections) {
    out << "<a href=\"#" << section.id << "\">" << escaped(section.title) << "</a>\n";
  }
  out << "</nav>\n";
  for (const Section& section : document.sections) write_section(out, section);
  out << "</main></body></html>\n";
  return out.str();
}

std::string to_markdown(const Document& document) {
  std::ostringstream out;
  out << "# " << document.title << "\n\n";
  for (const std::string& text : document.paragraphs) out << text << "\n\n";
  for (const std::string& warning : document.warnings) out << "> " << warning << "\n\n";
  for (const auto& [value, what] : document.figures) out << "- **" << value << "** " << what << '\n';
  for (const Section& section : document.sections) {
    out << "\n## " << section.title << "\n\n";
    bool list = false;
    for (const std::string& text : section.paragraphs) {
      const bool item = text.starts_with("- ");
      if (list && !item) out << '\n';
      list = item;
      out << text << (item ? "\n" : "\n\n");
    }
    for (const DataTable& table : section.tables) write_markdown_table(out, table);
  }
  return out.str();
}

}  // namespace bench
