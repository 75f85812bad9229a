// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Memory over time, a picture for each device: drag to zoom, or use the buttons
// and keys; the line below reads out what stands under the pointer.

const TIMELINE_HEIGHT = 260;

class Timeline extends Zoomed {
  /** @param {any} device @param {any} process */
  constructor(device, process) {
    super();
    this.device = device;
    this.held = readMoments(device.held);
    this.pool = readMoments(device.pool);
    this.samples = objects(device.samples);
    const totals = objects(device.pool_samples);
    /** Of totals a second the least is not known. */
    this.totals = this.pool.length === 0 && totals.length > 0;
    this.fit = false;
    if (this.pool.length === 0) {
      this.pool = sampledMoments(totals, 'allocated_bytes',
                                 'peak_allocated_bytes');
    }
    if (this.held.length === 0 && totals.length > 0) {
      this.held = sampledMoments(totals, 'reserved_bytes',
                                 'peak_reserved_bytes');
    }
    this.refusals = objects(device.refusals);
    this.marks = objects(process?.marks);
    this.steps = objects(process?.steps);
    this.stack = readCategories(device.categories);
    this.divided = this.stack.moments.length > 0;
    this.folded = process?.folded ?? 0;
    this.main = this.pool.length > 0 ? this.pool : this.held;
    /** @type {number|null} */
    this.cursor = null;
    this.begin(this.span(), frame(`Memory of ${gpuName(device)}`,
                                  this.description(), () => this.table()));
    this.addControls();
  }

  /** @returns {[number, number]} */
  span() {
    const times = [...this.held, ...this.pool].flatMap((m) => [m.begin, m.end]);
    times.push(...this.samples.map((one) => one.at),
               ...this.refusals.map((one) => one.at));
    const died = deathOf(this.device.process);
    if (died !== null) times.push(died);
    let from = Infinity;
    let to = -Infinity;
    for (const time of times) {
      from = Math.min(from, time);
      to = Math.max(to, time);
    }
    if (!(to > from)) return [Math.min(from, 0) || 0, (to > 0 ? to : 0) + 1e6];
    this.until = to;
    const margin = (to - from) / 50;
    return [from, to + margin];
  }

  most() {
    const held = [...this.held, ...this.pool].map((one) => one.high);
    const used = this.samples.map((one) => one.used_bytes ?? 0);
    let most = this.fit ? 0 : this.device.capacity_bytes ?? 0;
    for (const value of [...held, ...this.fit ? [] : used]) {
      most = Math.max(most, value);
    }
    return most || 1;
  }

  description() {
    const capacity = this.device.capacity_bytes;
    return `Peak ${bytes(this.device.peak_bytes ?? 0)}` +
        (capacity ? ` of ${bytes(capacity)}` : '') +
        (this.refusals.length > 0
          ? `; ${plural(this.refusals.length, 'refused request')} shown.` : '.') +
        (this.folded ? ` The first ${counted(this.folded)} events are known ` +
                       'as totals only, so the picture begins after them.' : '') +
        (this.stack.unknown ? ` Not divided by what it is for: ${
          this.stack.unknown}.` : '');
  }

  addControls() {
    const shift = (/** @type {number} */ part) => {
      const by = (this.to - this.from) * part;
      this.show(this.from + by, this.to + by);
    };
    const acts = Object.assign(this.acts, {
      'PageUp': () => shift(-0.5), 'PageDown': () => shift(0.5),
      'ArrowLeft': () => this.step(-1), 'ArrowRight': () => this.step(1),
      'Home': () => this.point(this.from), 'End': () => this.point(this.to),
      'r': () => this.refusals.length > 0 && this.showRefusal(),
    });
    const fit = this.device.capacity_bytes && button(
        'Fit', 'Height of what was held, not of the device', () => {
          this.fit = !this.fit;
          fit.setAttribute('aria-pressed', String(this.fit));
          this.draw(this.width);
        });
    if (fit) fit.setAttribute('aria-pressed', 'false');
    if (this.divided) {
      this.frame.controls.append(choice(
          'Show', [['for', 'what it is for'], ['all', 'all together']],
          (value) => {
            this.divided = value === 'for';
            this.draw(this.width);
          }));
    }
    this.addZoom('Drag to zoom, or + − 0', button('←', 'Earlier', acts.PageUp),
                 button('→', 'Later', acts.PageDown), fit,
                 this.refusals.length > 0 && button(
                     'At the refusal', 'Zoom to the refused request', acts.r));
  }

  pointed() {
    return this.cursor;
  }

  /** @param {number} time */
  hover(time) {
    this.point(time);
  }

  showRefusal() {
    const one = this.refusals[0];
    const length = (this.whole[1] - this.whole[0]) / 40;
    this.show(one.at - length, one.at + length / 4);
    this.point(one.at);
  }

  /** To the next change. @param {number} by */
  step(by) {
    const at = this.cursor ?? (by > 0 ? this.from : this.to);
    const index = indexAt(this.main, at) + by;
    const next = this.main[clamp(index, 0, this.main.length - 1)];
    if (!next) return;
    if (next.begin < this.from || next.begin > this.to) {
      const half = (this.to - this.from) / 2;
      this.show(next.begin - half, next.begin + half);
    }
    this.point(next.begin);
  }

  /** @param {number} time */
  point(time) {
    this.cursor = clamp(time, this.from, this.to);
    const at = pixel(this.x, this.cursor);
    fill(this.hair, {transform: `translate(${at} 0)`, visibility: 'visible'}, []);
    const reach = (this.to - this.from) / Math.max(this.x.length, 1) / 2;
    this.frame.say(this.words(this.cursor, reach));
  }

  /** What is known of a moment. @param {number} time
   * @param {number} reach how far a pixel reaches */
  words(time, reach) {
    const parts = [moment(time)];
    const value = (/** @type {Moment[]} */ list, /** @type {string} */ name,
                   least = true) => {
      const at = list.length > 0 && extremes(list, time - reach, time + reach);
      if (!at) return;
      const low = at.low === at.high ? '' : least ? `${exactBytes(at.low)} to `
                                                  : 'up to ';
      parts.push(`${name} ${low}${exactBytes(at.high)}`);
    };
    value(this.pool, 'live in the pool', !this.totals);
    value(this.held, this.pool.length > 0 ? 'held from the driver' : 'held');
    const parts_here = stackAt(this.stack.moments, time - reach, time + reach);
    if (parts_here) {
      parts.push('for ' + this.stack.names.map((name, i) =>
        `${name} ${exactBytes(parts_here[i])}`).filter(
          (_, i) => parts_here[i]).join(', '));
    }
    const sample = this.samples.filter((one) => one.at <= time).at(-1);
    if (sample) {
      const capacity = this.device.capacity_bytes;
      parts.push(`the driver at ${duration(sample.at)}: ` +
          `${bytes(sample.used_bytes)} used` +
          (capacity ? `, ${bytes(capacity - sample.used_bytes)} free` : '') +
          (sample.other_bytes ? `, ${bytes(sample.other_bytes)} by others` : '') +
          (sample.remainder_bytes > 0
            ? `, ${bytes(sample.remainder_bytes)} beside blocks` : ''));
    }
    const step = this.steps.filter((one) => one.begin_at <= time &&
        (one.end_at === null || one.end_at >= time)).at(-1);
    if (step) parts.push(`step ${step.step}`);
    for (const one of this.refusals) {
      if (Math.abs(one.at - time) > 4 * reach) continue;
      parts.push(`refused: ${exactBytes(one.requested_bytes ?? 0)}`);
      break;
    }
    const mark = this.marks.find((one) => Math.abs(one.at - time) <= 4 * reach);
    if (mark) parts.push(mark.text);
    return parts.join(' · ');
  }

  /** @param {number} width */
  draw(width) {
    if (!width) return;
    this.width = width;
    drawTimeline(this);
  }

  table() {
    const columns = ['from_at', 'to_at', 'least_bytes', 'most_bytes',
                     ...this.stack.names.map((name) => name + '_bytes')];
    const rows = [];
    const length = (this.to - this.from) / 50;
    for (let i = 0; i < 50; ++i) {
      const from = this.from + i * length;
      const one = extremes(this.main, from, from + length);
      if (!one) continue;
      rows.push([from, from + length, this.totals ? null : one.low, one.high,
                 ...stackAt(this.stack.moments, from, from + length) ?? []]);
    }
    const what = this.pool.length > 0 ? 'Live in the pool' : 'Held';
    const parts = [table({columns, rows, more: 0}, `${what}, in 50 parts of ` +
                         'what the picture shows')];
    if (this.device.refusals?.rows) {
      parts.push(table(this.device.refusals, 'Refused requests'));
    }
    if (this.device.samples?.rows) {
      parts.push(table(this.device.samples, 'What the driver said'));
    }
    return el('div', {}, ...parts);
  }
}

/** When a process gave its last sign, if the run died. @param {number} process
 * @returns {number|null} */
function deathOf(process) {
  const ending = objects(page.tables?.ending)[0];
  if (!ending?.died) return null;
  const one = objects(page.tables?.processes).find(
      (row) => row.process === process);
  return one?.last_sign_at ?? null;
}
