"use strict";
// The page's tables: sorted by a click on a heading, filtered by words and by choices, drawn in portions. All texts come
// from the data and are set as text, never as HTML.
//
// The data is a table for each section, by the section's id: its rows, and the title of each column. A column may have a
// group (heading above neighbouring columns), a hint, choices (the cells are their numbers, and the reader can select
// one), and the properties figures (sorted by the number in the text), strong (stays in sight) and wide (shortened).
const PORTION = 100; // rows
const LONG = 34; // characters of a wide column
const NONE = "–";

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function shortened(text) {
  return text.length <= LONG ? text : `${text.slice(0, LONG / 2)}…${text.slice(1 - LONG / 2)}`;
}

/** The number in a text such as "≤ 1,234.5 %"; null if there is none. */
function numberIn(text) {
  const digits = text.replace(/[^\d.-]/g, "");
  return digits === "" ? null : Number(digits);
}

class Table {
  constructor(place, { columns, rows }) {
    Object.assign(this, { columns, sorted: null, down: false });
    this.rows = rows.map((cells, index) => {
      const texts = cells.map((cell, at) => columns[at].choices ? columns[at].choices[cell] : cell);
      return { index, texts, words: texts.join("\n").toLowerCase() };
    });
    this.words = make("input", { type: "search", placeholder: "all words, in any column" });
    this.words.addEventListener("input", () => this.filter());
    this.count = make("span", { class: "count", "aria-live": "polite" });
    this.selects = columns.map(column => column.choices && column.choices.length > 1 ? this.select(column) : null);
    const labels = this.selects.flatMap((select, at) => select ? make("label", {}, columns[at].title, select) : []);
    this.body = make("tbody");
    this.more = make("button", { class: "more", type: "button" });
    this.more.addEventListener("click", () => this.drawPortion());
    const frame = make("div", { class: "scroll high" }, make("table", {}, this.head(), this.body));
    place.append(make("div", { class: "controls" }, make("label", {}, "filter", this.words), ...labels, this.count), frame, this.more);
    this.filter();
  }

  select(column) {
    const select = make("select", { "data-column": column.title }, new Option("all", ""));
    for (const [index, name] of column.choices.entries()) select.add(new Option(name || NONE, String(index)));
    select.addEventListener("change", () => this.filter());
    return select;
  }

  head() {
    const above = make("tr"), line = make("tr");
    this.headings = this.columns.map((column, at) => {
      if (at === 0 || column.group !== this.columns[at - 1].group) above.append(make("th", { class: column.group && "group edge" }, column.group || ""));
      else above.lastChild.colSpan++;
      const button = make("button", { type: "button", title: column.hint }, column.title);
      button.addEventListener("click", () => this.sort(at));
      return make("th", { scope: "col", class: this.classes(at) }, button);
    });
    line.append(...this.headings);
    return make("thead", {}, ...(this.columns.some(column => column.group) ? [above] : []), line);
  }

  classes(at) {
    const column = this.columns[at], edge = at > 0 && column.group !== this.columns[at - 1].group;
    return [column.figures && "figures", edge && "edge", column.strong && "strong"].filter(Boolean).join(" ");
  }

  sort(at) {
    this.down = this.sorted === at && !this.down;
    this.sorted = at;
    for (const heading of this.headings) heading.removeAttribute("aria-sort");
    this.headings[at].setAttribute("aria-sort", this.down ? "descending" : "ascending");
    this.filter();
  }

  filter() {
    const words = this.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = this.selects.map((select, at) => select && select.value ? this.columns[at].choices[select.value] : null);
    const fits = ({ texts }) => chosen.every((name, at) => name === null || texts[at] === name);
    this.found = this.rows.filter(row => words.every(word => row.words.includes(word)) && fits(row));
    if (this.sorted !== null) this.order(this.sorted);
    this.body.replaceChildren();
    this.drawPortion();
    this.count.textContent = this.found.length === this.rows.length ? `${this.rows.length} rows` : `${this.found.length} of ${this.rows.length} rows`;
  }

  order(at) {  // what is missing comes last either way
    const figures = this.columns[at].figures, sign = this.down ? -1 : 1;
    const key = text => text === "" || text === NONE ? null : figures ? numberIn(text) : text;
    const keys = new Map(this.found.map(row => [row, key(row.texts[at])]));
    this.found.sort((one, two) => {
      const [a, b] = [keys.get(one), keys.get(two)];
      if (a === null || b === null) return (a === null) - (b === null) || one.index - two.index;
      return sign * (figures ? a - b : a.localeCompare(b, "en", { numeric: true })) || one.index - two.index;
    });
  }

  drawPortion() {
    const drawn = this.body.rows.length;
    this.body.append(...this.found.slice(drawn, drawn + PORTION).map(row => this.line(row)));
    const left = this.found.length - this.body.rows.length;
    this.more.hidden = !left;
    this.more.textContent = `show ${Math.min(left, PORTION)} more of ${left}`;
  }

  line({ texts }) {
    return make("tr", {}, ...texts.map((text, at) => {
      const wide = this.columns[at].wide;
      return make("td", { class: this.classes(at), title: wide && text }, (wide ? shortened(text) : text) || NONE);
    }));
  }
}

for (const [name, table] of Object.entries(JSON.parse(document.getElementById("data").textContent))) {
  new Table(document.querySelector(`#${name} .table`), table);
}
