// @ts-check
// SPDX-License-Identifier: Apache-2.0
// A strip for each rank over time, which answers to pointer and keys.

const RANK_LEFT = 120;
// More are joined by their stories at first.
const FEW_RANKS = 48;

class RankPicture extends Zoomed {
  /** @param {any} data */
  constructor(data) {
    super();
    this.data = data;
    this.ranks = readRanks(data);
    this.joined = this.ranks.length > FEW_RANKS;
    this.rows = this.inRows();
    this.cursor = Math.max(this.rows.findIndex((row) => row[0].first), 0);
    this.item = -1;
    this.begin(this.extent(), frame('Ranks', this.description(),
                                    () => this.table()));
    this.addControls();
  }

  description() {
    const dated = this.ranks.filter((one) => one.from !== null);
    return `a strip from the first to the last time that is known of a rank, for ${
      counted(dated.length)} of ${plural(
        Math.max(this.data.world, this.ranks.length), 'rank')}.`;
  }

  inRows() {
    return this.joined ? alike(this.ranks)
                       : this.ranks.map((one) => [one]);
  }

  /** @returns {[number, number]} */
  extent() {
    const times = this.ranks.flatMap((one) => [
      one.from, one.to, ...one.spans.map((span) => span.begin)])
        .filter((at) => at !== null);
    if (times.length === 0) return [0, 1];
    let [from, to] = [Infinity, -Infinity];
    for (const at of times) {
      from = Math.min(from, /** @type {number} */ (at));
      to = Math.max(to, /** @type {number} */ (at));
    }
    if (to <= from) return [from - 5e8, to + 5e8];
    // What has no end is seen even where it began last.
    const open = this.ranks.some((one) => one.spans.some(
        (span) => span.end === null));
    return [from, open ? to + (to - from) * 0.06 : to];
  }

  addControls() {
    const {at} = this.data.first;
    if (this.ranks.length > 2) {
      const rows = choice('Rows', [['joined', 'ranks of one story together'],
                                   ['each', 'each rank']], (how) => {
        this.joined = how === 'joined';
        this.rows = this.inRows();
        this.cursor = Math.max(this.rows.findIndex((row) => row[0].first), 0);
        this.draw(this.width);
      });
      /** @type {HTMLSelectElement} */ (rows.querySelector('select')).value =
          this.joined ? 'joined' : 'each';
      this.frame.controls.append(rows);
    }
    Object.assign(this.acts, {
      ArrowUp: () => this.choose(this.cursor - 1),
      ArrowDown: () => this.choose(this.cursor + 1),
      Home: () => this.choose(0), End: () => this.choose(this.rows.length - 1),
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1)});
    const half = (this.to - this.from) / 40;
    this.addZoom('Drag to zoom; arrow keys: rows and what is in them',
                 typeof at === 'number' && button(
                     'First domino', 'Zoom to what fell first',
                     () => this.show(at - half, at + half)));
  }

  pointed() {
    return rowItems(this.rows[this.cursor] ?? [])[this.item]?.at;
  }

  rowHeight() {
    const count = this.rows.length;
    return count <= 24 ? 24 : count <= 64 ? 14 : count <= 160 ? 7
      : Math.max(1100 / count, 1);
  }

  /** @param {number} width */
  draw(width) {
    if (width < 50) return;
    this.width = width;
    const high = this.rowHeight();
    const bottom = TOP + this.rows.length * high;
    const left = RANK_LEFT + (width < 600 ? -36 : this.joined ? 50 : 0);
    const x = {from: this.from, to: this.to, at: left,
               length: width - left - RIGHT};
    this.x = x;
    const height = bottom + BOTTOM;
    const picture = canvas(
        width, height, 'Ranks over time', 'Strips: ' + this.description(),
        this.marked = svg('rect', {class: 'row-pointed', x: 0, width,
                                    height: Math.max(high, 2), y: -99}),
        ...rankShapes(this, x, high), ...rankLabels(this, left, high),
        firstDomino(this, x, bottom), rankTicks(this, x, bottom));
    this.listen(picture, height, bottom, x);
    this.frame.place.replaceChildren(picture, legend(RANK_LEGEND.filter(
        ([kind]) => picture.querySelector(`.${kind}`))));
    this.place(this.cursor);
  }

  /** @param {number} time @param {number} y */
  hover(time, y) {
    this.pointAt(Math.floor((y - TOP) / this.rowHeight()), time,
                 (this.to - this.from) * 6 / (this.x.length || 1));
  }

  /** @param {number} row */
  place(row) {
    fill(this.marked, {y: TOP + row * this.rowHeight()}, []);
  }

  /** @param {number} row */
  choose(row) {
    this.cursor = clamp(row, 0, this.rows.length - 1);
    this.item = -1;
    this.place(this.cursor);
    this.frame.say(rowSummary(this.rows[this.cursor]));
  }

  /** @param {number} by */
  step(by) {
    const items = rowItems(this.rows[this.cursor]);
    if (items.length === 0) return this.choose(this.cursor);
    this.item = this.item < 0 ? (by > 0 ? 0 : items.length - 1)
                              : clamp(this.item + by, 0, items.length - 1);
    this.frame.say(items[this.item].text);
  }

  /** @param {number} row @param {number} time @param {number} near */
  pointAt(row, time, near) {
    if (row < 0 || row >= this.rows.length) return;
    this.choose(row);
    const group = this.rows[row];
    const marks = group.flatMap((one) => one.marks.filter(
        (mark) => Math.abs(mark.at - time) <= near).map((mark) => mark.text));
    const spans = group.flatMap((one) => one.spans.filter((span) =>
      span.begin <= time + near &&
      (span.end ?? Infinity) >= time - near)).map((span) =>
      span.name + (SPAN_WORDS[span.state] ? ` ${SPAN_WORDS[span.state]}` : ''));
    const here = [...new Set([...marks, ...spans])].slice(0, 3);
    this.frame.say([rowSummary(group), ...here].join(' · '));
  }

  table() {
    return table({
      columns: ['rank', 'host', 'from_at', 'to_at', 'waits', 'failures'],
      rows: this.ranks.map((one) => [
        one.rank, one.host || (one.missing ? 'nothing was found of it' : ''),
        one.from, one.to, one.spans.filter((span) => SPAN_WORDS[span.state]).map(
            (span) => `${span.name} ${SPAN_WORDS[span.state]}`).join(', '),
        one.marks.map((mark) => mark.text).join(' | ')]), more: 0}, 'Ranks');
  }
}
