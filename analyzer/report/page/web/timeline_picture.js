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
                  stroke(null, 0, TOP, 0, bottom));
  const picture = canvas(
      line.width, TIMELINE_HEIGHT, `Memory of ${gpuName(line.device)} over time`,
      line.description() + ' Arrow keys go from change to change.',
      sizeAxis(line.y, LEFT, line.width - RIGHT),
      bottomAxis(line.x, ticks, bottom, (at) => timeLabel(at, step)),
      ...values(line), stepMarks(line, bottom), ...marks(line, bottom),
      line.hair);
  line.listen(picture, TIMELINE_HEIGHT, bottom, line.x);
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
                          'others'),
               ...hanging(line.samples, 'remainder_bytes', capacity, x, y,
                          'remainder', 'other_bytes'));
    parts.push(stroke('capacity', LEFT, pixel(y, capacity), line.width - RIGHT,
                      pixel(y, capacity)));
  }
  if (line.divided) {
    parts.push(...stackedAreas(line.stack.moments, line.stack.names, x, y),
               lineOf(line.held, x, y, line.pool.length > 0 ? 'reserved' : 'live'));
  } else if (line.totals) {
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
    group.append(stroke(null, at, bottom - 5, at, bottom));
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
                   stroke(null, at, TOP, at, bottom),
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
  const pooled = line.pool.length > 0;
  /** @type {[string, string][]} */
  const entries = line.divided
      ? line.stack.names.map((name) => [categoryClass(name), name])
      : [line.totals ? ['live swatch', 'live in the pool, most of each second']
                     : ['live area', pooled ? 'live in the pool'
                                            : 'held by the process']];
  if (pooled && line.held.length > 0) {
    entries.push(['reserved swatch', 'held from the driver']);
  }
  if (line.samples.length > 0) {
    entries.push(['used swatch', 'used on the device, as the driver says']);
  }
  if (line.samples.some((one) => one.other_bytes > 0)) {
    entries.push(['others', 'other processes']);
  }
  if (line.device.capacity_bytes &&
      line.samples.some((one) => one.remainder_bytes > 0)) {
    entries.push(['remainder', 'used beside blocks: contexts, libraries, free pieces']);
  }
  if (line.device.capacity_bytes) {
    entries.push(['capacity swatch', 'size of the device']);
  }
  if (line.refusals.length > 0) entries.push(['refusal', 'refused request']);
  if (line.marks.length > 0) entries.push(['mark', 'failed call or event']);
  return legend(entries);
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
      andMore(data.more, 'device'),
      tableOf('categories', 'At the peak, by what it is for'))};
}
