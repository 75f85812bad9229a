// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Causes over time: a column a day, week or more.

const TREND_HEIGHT = 280;
const DAY_MS = 86400e3;

class TrendChart {
  /** @param {any} data as trends.h has it */
  constructor(data) {
    this.data = data;
    this.by = 'runs';
    this.cursor = data.spans - 1;
    this.width = 0;
    const span = data.days === 1 ? 'day'
      : data.days === 7 ? 'week' : `${data.days / 7} weeks`;
    this.description = `a column for each ${span}, of runs that began in it and ` +
        'died, by cause.';
    this.frame = frame('What happened when', this.description,
                       () => this.table());
    this.frame.controls.append(choice(
        'Measured in', [['runs', 'runs'], ['hours', 'GPU-hours']], (by) => {
          this.by = by;
          this.draw(this.width);
        }));
    whenSized(this.frame.place, (width) => this.draw(width));
  }

  /** @param {number} span its first day */
  day(span) {
    const {first_day: first, days} = this.data;
    const date = new Date((first + span * days) * DAY_MS);
    return Number.isNaN(date.getTime()) ? `day ${first + span * days}`
                                        : date.toISOString().slice(0, 10);
  }

  /** @param {any} cause */
  name(cause) {
    return cause.cause || 'other causes';
  }

  /** @param {number} index of a cause */
  colour(index) {
    const {cause} = this.data.causes[index];
    if (cause === '') return 'other';
    return cause === 'unknown' ? 'pending' : `c${index % 8}`;
  }

  /** @param {number} width */
  draw(width) {
    this.width = width;
    const {data} = this;
    const bottom = TREND_HEIGHT - BOTTOM;
    const sums = Array.from({length: data.spans}, (_, i) => data.causes.reduce(
        (/** @type {number} */ sum, /** @type {any} */ one) =>
          sum + (one[this.by][i] ?? 0), 0));
    const most = Math.max(...sums, 1);
    const y = {from: 0, to: most * 1.05, at: bottom, length: TOP - bottom};
    const x = {from: 0, to: data.spans, at: LEFT, length: width - LEFT - RIGHT};
    this.columns = sums.map((_, i) => this.column(i, x, y));
    const every = Math.ceil(data.spans * 92 / Math.max(x.length, 1));
    const picture = canvas(
        width, TREND_HEIGHT, 'Causes over time', this.description,
        svg('g', {class: 'axis'}, ...countTicks(0, y.to, 5).flatMap((at) => [
          svg('line', {x1: LEFT, x2: width - RIGHT, y1: pixel(y, at),
                       y2: pixel(y, at)}),
          svg('text', {x: LEFT - 6, y: pixel(y, at) + 4, 'text-anchor': 'end'},
              counted(at))])),
        ...this.columns,
        svg('g', {class: 'axis'}, ...sums.map((_, i) => i % every === 0 &&
          svg('text', {x: clamp(pixel(x, i + .5), 34, width - RIGHT - 30),
                       y: bottom + 16, 'text-anchor': 'middle'}, this.day(i)))));
    picture.addEventListener('pointermove', (event) => this.point(Math.floor(
        valueAt(x, placeIn(picture, event, width, TREND_HEIGHT).x))));
    onKeys(picture, ALONG, (by) => this.point(this.cursor + by));
    this.frame.place.replaceChildren(picture, legend(data.causes.map(
        (/** @type {any} */ one, /** @type {number} */ i) =>
          [`cell ${this.colour(i)}`, this.name(one)])));
  }

  /** @param {number} span @param {Scale} x @param {Scale} y */
  column(span, x, y) {
    let below = 0;
    const wide = Math.max(x.length / this.data.spans - 2, 1);
    const parts = this.data.causes.map(
        (/** @type {any} */ one, /** @type {number} */ i) => {
          const value = one[this.by][span] ?? 0;
          const top = pixel(y, below + value);
          const part = value > 0 && svg('rect', {
            class: `cell ${this.colour(i)}`, x: pixel(x, span) + 1, width: wide,
            y: top, height: Math.max(pixel(y, below) - top, 1)});
          below += value;
          return part;
        });
    return svg('g', {class: 'column'}, ...parts);
  }

  /** @param {number} span */
  told(span) {
    const {data} = this;
    const parts = data.causes.filter(
        (/** @type {any} */ one) => one.runs[span] > 0).map(
        (/** @type {any} */ one) => `${this.name(one)}: ${
          plural(one.runs[span], 'run')}, ${gpuHours(one.hours[span])}`);
    const span_text = data.days === 1 ? this.day(span)
      : `${this.day(span)} to ${this.day(span + 1 - 1 / data.days)}`;
    return `${span_text} · ${plural(data.runs[span], 'run')} began · ` +
        (parts.length > 0 ? parts.join(' · ') : 'none died');
  }

  /** @param {number} span */
  point(span) {
    this.columns?.[this.cursor]?.classList.remove('marked');
    this.cursor = clamp(span, 0, this.data.spans - 1);
    this.columns?.[this.cursor]?.classList.add('marked');
    this.frame.say(this.told(this.cursor));
  }

  table() {
    const {data} = this;
    return table({
      columns: ['from', 'runs', ...data.causes.map(
          (/** @type {any} */ one) => this.name(one))],
      rows: data.runs.map((/** @type {number} */ runs, /** @type {number} */ i) =>
        [this.day(i), runs, ...data.causes.map(
            (/** @type {any} */ one) => one.runs[i])]), more: 0},
    'Runs that began, and those that died, by cause');
  }
}

/** @returns {Part|null} */
function trendsPart() {
  if (!page.trends.spans) return null;
  if (page.trends.causes.length === 0) return null;
  return {title: 'Over time', body: new TrendChart(page.trends).frame.figure};
}
