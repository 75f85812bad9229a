// @ts-check
// SPDX-License-Identifier: Apache-2.0
// What a leak suspect kept from step to step, with the line of its growth.

const LEAK_HEIGHT = 230;

class LeakChart {
  /** @param {any} leak */
  constructor(leak) {
    this.leak = leak;
    /** @type {[number, number][]} */
    this.points = leak.points;
    this.frame = frame(`${siteName(leak.site)} on ${gpuName(leak)}`,
                       this.description(), () => this.table());
    this.cursor = this.points.length - 1;
    this.width = 0;
    whenSized(this.frame.place, (width) => this.draw(width));
  }

  description() {
    const {leak} = this;
    return `grew by ${bytes(leak.bytes_per_step)} a step from step ` +
        `${leak.first_step} to ${leak.last_step}: ${bytes(leak.growth_bytes)}, ` +
        `${(100 * leak.share).toFixed(0)} % of all growth on the device` +
        (leak.full_step ? `; at this pace the device is full in step ` +
                          `${counted(leak.full_step)}` : '') + '.';
  }

  /** Of the line. @param {number} step */
  fitted(step) {
    const {leak} = this;
    return leak.first_bytes + (step - leak.first_step) * leak.bytes_per_step;
  }

  /** To the step in which the device is full, unless that is further away than
   * what was seen is long.
   * @param {number} first @param {number} last */
  end(first, last) {
    return Math.max(last, Math.min(this.leak.full_step ?? last,
                                   last + (last - first)));
  }

  /** @param {number} width */
  draw(width) {
    this.width = width;
    const {leak, points} = this;
    const bottom = LEAK_HEIGHT - BOTTOM;
    const first = points[0]?.[0] ?? 0;
    const last = Math.max(points.at(-1)?.[0] ?? 1, leak.last_step);
    const end = this.end(first, last);
    const most = Math.max(this.fitted(end), ...points.map((one) => one[1]), 1);
    this.x = {from: first, to: end, at: LEFT, length: width - LEFT - RIGHT};
    const x = this.x;
    const y = {from: 0, to: most * 1.05, at: bottom, length: TOP - bottom};
    const line = (/** @type {string} */ name, /** @type {number} */ from,
                  /** @type {number} */ to) =>
      stroke(name, pixel(x, from), pixel(y, this.fitted(from)), pixel(x, to),
             pixel(y, this.fitted(to)));
    this.dot = svg('circle', {r: 4, class: 'dot', visibility: 'hidden'});
    this.y = y;
    const picture = canvas(
        width, LEAK_HEIGHT, `Kept by ${siteName(leak.site)} step by step`,
        'It ' + this.description(), sizeAxis(y, LEFT, width - RIGHT),
        bottomAxis(x, countTicks(x.from, x.to, width / 90), bottom,
                   (at) => `step ${counted(at)}`),
        strokes('live', points.map(
            ([step, held]) => spot(pixel(x, step), pixel(y, held)))),
        line('fitted', leak.first_step, last),
        end > last && line('projected', last, end),
        end > last && end === leak.full_step && svg(
            'text', {x: pixel(x, end) - 4, y: pixel(y, this.fitted(end)) + 16,
                     'text-anchor': 'end'}, 'full'), this.dot);
    on(picture, 'pointermove', (event) => {
      const at = valueAt(x, placeIn(picture, event, width, LEAK_HEIGHT).x);
      const after = points.findIndex((one) => one[0] >= at);
      this.point(after < 0 ? points.length - 1 : after);
    });
    onKeys(picture, ALONG, (by) => this.point(this.cursor + by));
    this.frame.place.replaceChildren(picture, legend([
      ['live swatch', 'kept at the end of a step'],
      ['fitted swatch', `line of growth, ${bytes(leak.bytes_per_step)} a step` +
                        (end > last ? ', dotted where projected' : '')],
    ]));
  }

  /** @param {number} index */
  point(index) {
    this.cursor = clamp(index, 0, this.points.length - 1);
    const one = this.points[this.cursor];
    if (!one || !this.x || !this.y) return;
    fill(this.dot, {cx: pixel(this.x, one[0]), cy: pixel(this.y, one[1]),
                    visibility: 'visible'}, []);
    this.frame.say(`step ${one[0]} · kept ${exactBytes(one[1])}` +
        (one[0] >= this.leak.first_step
          ? ` · the line says ${exactBytes(this.fitted(one[0]))}` : ''));
  }

  table() {
    const every = Math.ceil(this.points.length / 60);
    return table({columns: ['step', 'kept_bytes'],
                  rows: this.points.filter((_, i) => i % every === 0 ||
                      i === this.points.length - 1), more: 0},
                 every > 1 ? `Every ${every}th point` : 'All points');
  }
}

/** @returns {Part|null} */
function leaksPart() {
  if (!page.leaks?.length) return null;
  return {title: 'Leak suspects', body: el(
      'div', {}, ...page.leaks.map((/** @type {any} */ leak) =>
        new LeakChart(leak).frame.figure))};
}
