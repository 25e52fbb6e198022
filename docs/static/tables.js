// Tables: a box that filters the rows of long ones; wide ones scroll with the keyboard. Without this script all rows are visible.
"use strict";

const LONG = 25; // rows from which on a table, or several with the same headings, can be filtered
const SHORT = 15; // characters of a cell that is not wrapped
const MARGIN = 80; // pixels that a header may cover

function bodyRows(table) {
  return [...table.tBodies].flatMap((body) => [...body.rows]);
}

/** Long tables of the page; those with the same headings form one group. */
function longGroups() {
  const groups = new Map();
  for (const table of document.querySelectorAll("article table.docutils")) {
    const heading = table.tHead ? table.tHead.textContent : "";
    groups.set(heading, [...(groups.get(heading) || []), table]);
  }
  return [...groups.values()].filter((tables) => tables.flatMap(bodyRows).length >= LONG);
}

/** The table with its scrolling frame. */
function frameOf(table) {
  return table.closest(".table-wrapper") || table;
}

/** Hide tables without a visible row, and sections that contain nothing else. */
function hideEmpty(tables, sections) {
  for (const table of tables) {
    frameOf(table).hidden = bodyRows(table).every((row) => row.hidden);
  }
  for (const section of sections) {
    section.hidden = [...section.children].every((part) => part.hidden || /^(H\d|SPAN)$/.test(part.tagName));
  }
}

function addFilter(tables, number) {
  const rows = tables.flatMap(bodyRows).map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const box = document.createElement("div");
  box.className = "table-filter";
  box.setAttribute("role", "search");
  box.innerHTML = `<label for="filter-${number}">Filter rows</label>
    <input id="filter-${number}" type="search" autocomplete="off" spellcheck="false"> <output for="filter-${number}"></output>`;
  const [input, output] = [box.querySelector("input"), box.querySelector("output")];
  const sections = new Set(tables.map((table) => table.closest("section")));
  const several = sections.size > 1;
  const update = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      count += row.hidden ? 0 : 1;
    }
    hideEmpty(tables, several ? sections : []);
    output.textContent = words.length ? `${count} of ${rows.length} rows` : `${rows.length} rows`;
  };
  input.addEventListener("input", () => {
    update();
    const above = box.previousElementSibling; // the box itself may stick to the top
    const end = above ? above.getBoundingClientRect().bottom : 0;
    if (end < 0) {
      window.scrollBy(0, end - MARGIN); // to the first row that is left
    }
  });
  (several ? tables[0].closest("section") : frameOf(tables[0])).before(box);
  update();
}

function makeScrollable(wrapper) {
  if (wrapper.scrollWidth > wrapper.clientWidth) {
    wrapper.tabIndex = 0;
    wrapper.setAttribute("role", "region");
    wrapper.setAttribute("aria-label", "Table, scrolls sideways");
  }
}

/** Keep a number with its unit. */
function keepTogether(cell) {
  const text = cell.textContent.trim();
  if (text.length <= SHORT && /\d/.test(text)) {
    cell.style.whiteSpace = "nowrap";
  }
}

/** Let long paths and module names break after their separators. */
function breakPath(code) {
  if (code.textContent.length > SHORT && /\w[/.]\w/.test(code.textContent)) {
    code.innerHTML = code.innerHTML.replace(/(?<=\w)([/._])(?=\w)/g, "$1<wbr>");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("table.docutils td code .pre").forEach(breakPath);
  document.querySelectorAll("table.docutils td").forEach(keepTogether);
  longGroups().forEach(addFilter);
  document.querySelectorAll(".table-wrapper").forEach(makeScrollable);
});
