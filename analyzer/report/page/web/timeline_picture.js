// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Draws a Timeline, and lets a pointer and keys act on it.

/** @param {Timeline} line */
function drawTimeline(line) {
  const bottom = TIMELINE_HEIGHT - BOTTOM;
  line.x = {from: line.from, to: line.to, at: LEFT,
            length: line.width - LEFT - RIGHT, until: line.until};
  line.y = {from: 0, to: line.most() * 1.04, at: bottom,
            length: -(bottom - TOP)};
  const {ticks, step} = timeTicks(line.from, line.to,
                                  Math.max(Math.floor(line.width / 110), 2));
  line.hair = svg('g', {class: 'hair', visibility: 'hidden'},
                  svg('line', {y1: TOP, y2: bottom, x1: 0, x2: 0}));
  line.brush = svg('rect', {class: 'brush', y: TOP, height: bottom - TOP,
                            width: 0, x: 0});
  const picture = canvas(
      line.width, TIMELINE_HEIGHT, `Memory of ${gpuName(line.device)} over time`,
      line.description() + ' Arrow keys go from change to change.',
      sizeAxis(line.y, LEFT, line.width - RIGHT),
      bottomAxis(line.x, ticks, bottom, (at) => timeLabel(at, step)),
      stepMarks(line, bottom), ...values(line), ...marks(line, bottom),
      line.brush, line.hair);
  listen(line, picture);
  line.frame.place.replaceChildren(picture, timelineLegend(line));
  if (line.cursor !== null) line.point(line.cursor);
}

/** @param {Timeline} line */
function values(line) {
  const {x, y} = line;
  const capacity = line.device.capacity_bytes;
  const parts = [];
  if (capacity && !line.fit) {
    parts.push(...hanging(line.samples, 'other_bytes', capacity, x, y,
                          'others'));
    parts.push(svg('line', {class: 'capacity', x1: LEFT, x2: line.width - RIGHT,
                            y1: pixel(y, capacity), y2: pixel(y, capacity)}));
  }
  if (line.totals) {
    parts.push(lineOf(line.pool, x, y, 'live'), lineOf(line.held, x, y,
                                                       'reserved'));
  } else if (line.pool.length > 0) {
    parts.push(...areaOf(line.pool, x, y, 'live'),
               lineOf(line.held, x, y, 'reserved'));
  } else {
    parts.push(...areaOf(line.held, x, y, 'live'));
  }
  if (line.samples.length > 0 && !line.fit) {
    parts.push(stairLine(line.samples, 'used_bytes', x, y, 'used'));
  }
  return parts;
}

/** Steps that are too narrow to be told apart are left out, and labels for which
 * there is no room beside the last.
 * @param {Timeline} line @param {number} bottom */
function stepMarks(line, bottom) {
  const shown = line.steps.filter((one) => one.begin_at >= line.from &&
                                  one.begin_at <= line.to);
  const group = svg('g', {class: 'steps'});
  const every = Math.ceil(shown.length / (line.x.length / 4));
  let room = -Infinity;
  shown.forEach((one, i) => {
    if (i % every !== 0) return;
    const at = pixel(line.x, one.begin_at);
    group.append(svg('line', {x1: at, x2: at, y1: bottom - 5, y2: bottom}));
    if (at < room || at > line.width - 60) return;
    group.append(svg('text', {x: at + 2, y: bottom - 7}, `step ${one.step}`));
    room = at + 70;
  });
  return group;
}

/** Refusals, failed calls and the last sign of life.
 * @param {Timeline} line @param {number} bottom */
function marks(line, bottom) {
  const inside = (/** @type {number} */ at) => at >= line.from && at <= line.to;
  const parts = [];
  const died = deathOf(line.device.process);
  if (died !== null && inside(died)) {
    const at = pixel(line.x, died);
    parts.push(svg('g', {class: 'death'},
                   svg('line', {x1: at, x2: at, y1: TOP, y2: bottom}),
                   svg('text', {x: at - 4, y: TOP - 6, 'text-anchor': 'end'},
                       'last sign of life')));
  }
  for (const one of line.marks) {
    if (!inside(one.at)) continue;
    const at = pixel(line.x, one.at);
    parts.push(svg('path', {class: 'mark',
                            d: `M${at} ${bottom - 9}l4 4l-4 4l-4 -4z`},
                   svg('title', {}, `${moment(one.at)}: ${one.text}`)));
  }
  for (const one of line.refusals) {
    if (!inside(one.at)) continue;
    const at = pixel(line.x, one.at);
    parts.push(svg('path', {class: one.survived ? 'refusal survived' : 'refusal',
                            d: `M${at - 6} ${TOP - 10}h12l-6 10z`},
                   svg('title', {}, `${moment(one.at)}: refused ` +
                       exactBytes(one.requested_bytes ?? 0))));
  }
  return parts;
}

/** @param {Timeline} line */
function timelineLegend(line) {
  /** @type {[string, string][]} */
  const entries = line.pool.length > 0
      ? [line.totals ? ['live swatch', 'live in the pool, most of each second']
                     : ['live area', 'live in the pool']] : [['live area', 'held by the process']];
  if (line.pool.length > 0 && line.held.length > 0) {
    entries.push(['reserved swatch', 'held from the driver']);
  }
  if (line.samples.length > 0) {
    entries.push(['used swatch', 'used on the device, as the driver says']);
  }
  if (line.samples.some((one) => one.other_bytes > 0)) {
    entries.push(['others', 'other processes']);
  }
  if (line.device.capacity_bytes) {
    entries.push(['capacity swatch', 'size of the device']);
  }
  if (line.refusals.length > 0) entries.push(['refusal', 'refused request']);
  if (line.marks.length > 0) entries.push(['mark', 'failed call or event']);
  return legend(entries);
}

/** @param {Timeline} line @param {SVGElement} picture */
function listen(line, picture) {
  /** @type {number|null} */
  let pressed = null;
  const at = (/** @type {PointerEvent} */ event) => clamp(
      placeIn(picture, event, line.width, TIMELINE_HEIGHT).x, LEFT,
      line.width - RIGHT);
  picture.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressed = at(event);
    picture.setPointerCapture(event.pointerId);
  });
  picture.addEventListener('pointermove', (event) => {
    const now = at(event);
    line.point(valueAt(line.x, now));
    if (pressed === null) return;
    line.brush?.setAttribute('x', String(Math.min(now, pressed)));
    line.brush?.setAttribute('width', String(Math.abs(now - pressed)));
  });
  picture.addEventListener('pointerup', (event) => {
    const from = pressed;
    pressed = null;
    const to = at(event);
    if (from === null || Math.abs(to - from) < 4) return;
    line.show(valueAt(line.x, Math.min(from, to)),
              valueAt(line.x, Math.max(from, to)));
  });
  picture.addEventListener('dblclick', () => line.reset());
  picture.addEventListener('keydown', (event) => {
    const act = /** @type {Object<string, () => void>} */ (line.acts)[
        event.key === '=' ? '+' : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
    /** @type {SVGElement|null} */ (
        line.frame.place.querySelector('svg[tabindex]'))?.focus();
  });
}

/** @returns {Part|null} */
function timelinePart() {
  const data = page.timeline;
  if (!data?.devices) return null;
  const pictures = [];
  for (const device of data.devices) {
    const process = data.processes.find(
        (/** @type {any} */ one) => one.process === device.process);
    const line = new Timeline(device, process);
    // A single moment, as in some snapshots, makes no line.
    if (line.held.length + line.pool.length + line.samples.length > 2) {
      pictures.push(line.frame.figure);
    }
  }
  if (pictures.length === 0) return null;
  const shown = pictures.slice(0, 4);
  const rest = pictures.slice(4);
  return {title: 'Memory over time', body: el(
      'div', {}, ...shown,
      rest.length > 0 && folded(`${rest.length} more devices`,
                                () => el('div', {}, ...rest)),
      data.more > 0 && el('p', {class: 'dim'},
                          `… and ${plural(data.more, 'more device')}`),
      tableOf('categories', 'At the peak, by what it is for'))};
}
