// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Horizontal bars with their names and figures: what is most, and by how much.

/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number|null} value null: it is not known
 * @property {number} [of] the whole that it is a part of
 * @property {string} text beside the bar
 * @property {string} detail read out
 */

const BAR_HEIGHT = 26;

class BarChart {
  /** @param {string} title @param {string} description @param {Bar[]} bars
   * @param {() => Node} makeTable */
  constructor(title, description, bars, makeTable) {
    this.title = title;
    this.description = description;
    this.bars = bars;
    this.cursor = -1;
    this.width = 0;
    this.frame = frame(title, description, makeTable);
    whenSized(this.frame.place, (width) => this.draw(width));
  }

  /** Others in their place. @param {Bar[]} bars */
  change(bars) {
    this.bars = bars;
    this.cursor = -1;
    this.frame.say('');
    if (this.width > 0) this.draw(this.width);
  }

  /** @param {number} width */
  draw(width) {
    this.width = width;
    const named = clamp(width * 0.34, 90, 300);
    const most = Math.max(...this.bars.map((one) => one.of ?? one.value ?? 0),
                          1e-9);
    const scale = {from: 0, to: most, at: named + 8,
                   length: Math.max(width - named - 8 - 170, 40)};
    this.rows = this.bars.map((bar, i) => this.row(bar, i, scale, named, width));
    const height = this.bars.length * BAR_HEIGHT + 4;
    const picture = canvas(width, height, this.title, this.description,
                           ...this.rows);
    picture.addEventListener('pointermove', (event) => this.point(Math.floor(
        placeIn(picture, event, width, height).y / BAR_HEIGHT)));
    onKeys(picture, {...ALONG, ArrowUp: -1, ArrowDown: 1},
           (by) => this.point(this.cursor + by));
    this.frame.place.replaceChildren(picture);
  }

  /** @param {Bar} bar @param {number} index @param {Scale} scale
   * @param {number} named @param {number} width */
  row(bar, index, scale, named, width) {
    const top = index * BAR_HEIGHT + 5;
    const end = pixel(scale, bar.of ?? bar.value ?? 0);
    const x = scale.at;
    return svg('g', {class: 'bar-row'},
        svg('rect', {class: 'row-ground', x: 0, y: top - 4, width,
                     height: BAR_HEIGHT - 2}),
        svg('text', {class: 'bar-name', x: named, y: top + 12,
                     'text-anchor': 'end'}, cut(bar.name, named / 8)),
        bar.of !== undefined && svg('rect', {class: 'bar-whole', x, y: top,
                                             height: 16, width: end - x}),
        bar.value !== null && svg('rect', {
          class: 'bar-hole', x, y: top, height: 16,
          width: Math.max(pixel(scale, bar.value) - x, 1.5)}),
        svg('text', {class: 'bar-text', x: end + 8, y: top + 12}, bar.text));
  }

  /** @param {number} index */
  point(index) {
    this.rows?.[this.cursor]?.classList.remove('pointed');
    this.cursor = clamp(index, 0, this.bars.length - 1);
    this.rows?.[this.cursor]?.classList.add('pointed');
    this.frame.say(this.bars[this.cursor]?.detail ?? '');
  }
}
