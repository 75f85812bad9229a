// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Memory over time: reading what C++ wrote, looking up a moment, drawing lines.

/**
 * A time with the least and most in it, and the value from its end on.
 * @typedef {{begin: number, end: number, low: number, high: number,
 *            last: number}} Moment
 */

/** They come as differences. @param {number[][]|undefined} list
 * @returns {Moment[]} */
function readMoments(list) {
  let time = 0;
  let value = 0;
  return (list ?? []).map(([after, length, low, high, last]) => {
    const one = {begin: time + after, end: time + after + length,
                 low: value + low, high: value + high, last: value + last};
    time = one.end;
    value = one.last;
    return one;
  });
}

/** Totals of each second, from a pool whose blocks are not events.
 * @param {any[]} samples @param {string} last @param {string} most
 * @returns {Moment[]} */
function sampledMoments(samples, last, most) {
  let before = 0;
  return samples.filter((one) => one[last] !== null).map((one) => {
    const moment = {begin: one.at, end: one.end_at,
                    low: Math.min(before, one[last]),
                    high: Math.max(one[most] ?? 0, one[last]), last: one[last]};
    before = one[last];
    return moment;
  });
}

/** The last one that began by then, or -1. @param {{begin: number}[]} moments
 * @param {number} time */
function indexAt(moments, time) {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle].begin <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The least and the most between two times. @param {Moment[]} moments
 * @param {number} from @param {number} to */
function extremes(moments, from, to) {
  const first = indexAt(moments, from);
  const before = moments[first];
  let low = Infinity;
  let high = -Infinity;
  const take = (/** @type {number} */ a, /** @type {number} */ b) => {
    low = Math.min(low, a);
    high = Math.max(high, b);
  };
  if (before) {
    if (before.end > from) take(before.low, before.high);
    else take(before.last, before.last);
  }
  for (let i = first + 1; i < moments.length && moments[i].begin <= to; ++i) {
    take(moments[i].low, moments[i].high);
  }
  return high < low ? null : {low, high};
}

/** For each column of pixels what it covers, so that no peak is lost.
 * @param {Moment[]} moments @param {Scale} x
 * @returns {{at: number, low: number, high: number}[]} */
function columns(moments, x) {
  const found = [];
  const end = Math.min(x.at + x.length, pixel(x, x.until ?? x.to) + 1);
  for (let at = x.at; at < end; ++at) {
    const one = extremes(moments, valueAt(x, at), valueAt(x, at + 1));
    if (one) found.push({at, ...one});
  }
  return found;
}

/** The area below the most, and the line of it. @param {Moment[]} moments
 * @param {Scale} x @param {Scale} y @param {string} name class */
function areaOf(moments, x, y, name) {
  const found = columns(moments, x);
  if (found.length === 0) return [];
  const top = edge(found.map((one) => ({at: one.at, value: one.high})), y);
  const low = edge(found.map((one) => ({at: one.at, value: one.low})), y);
  const none = edge([found[0], found[found.length - 1]].map(
      (one) => ({at: one.at, value: 0})), y);
  return [between(`${name} area`, top, none), between(`${name} band`, top, low),
          strokes(name, top)];
}

/** A line over columns of pixels. @param {{at: number, value: number}[]} found
 * @param {Scale} y */
function edge(found, y) {
  return found.flatMap(({at, value}) => [spot(at, pixel(y, value)),
                                         spot(at + 1, pixel(y, value))]);
}

/** The area between two lines. @param {string} name class
 * @param {string[]} top @param {string[]} bottom */
function between(name, top, bottom) {
  return svg('polygon', {class: name,
                         points: [...top, ...bottom.slice().reverse()].join(' ')});
}

/** The line of the most alone. @param {Moment[]} moments @param {Scale} x
 * @param {Scale} y @param {string} name class */
function lineOf(moments, x, y, name) {
  return strokes(name, columns(moments, x).map(
      (one) => spot(one.at, pixel(y, one.high))));
}

/** A value that was sampled; it is drawn until the next sample.
 * @param {any[]} samples @param {string} column @param {Scale} x */
function stairs(samples, column, x) {
  const known = samples.filter((one) => one[column] !== null);
  const points = [];
  for (let i = 0; i < known.length; ++i) {
    const until = i + 1 < known.length ? known[i + 1].at : x.until ?? x.to;
    if (until < x.from || known[i].at > x.to) continue;
    points.push({from: clamp(known[i].at, x.from, x.to),
                 to: clamp(until, x.from, x.to), value: known[i][column],
                 of: known[i]});
  }
  return points;
}

/** @param {any[]} samples @param {string} column @param {Scale} x
 * @param {Scale} y @param {string} name class */
function stairLine(samples, column, x, y, name) {
  return strokes(name, stairs(samples, column, x).flatMap((one) => [
    spot(pixel(x, one.from), pixel(y, one.value)),
    spot(pixel(x, one.to), pixel(y, one.value))]));
}

/** Bars that hang from the device's size, below those of another column.
 * @param {any[]} samples @param {string} column @param {number} top
 * @param {Scale} x @param {Scale} y @param {string} name class
 * @param {string} [below] */
function hanging(samples, column, top, x, y, name, below = '') {
  return stairs(samples, column, x).filter((one) => one.value > 0).map((one) => {
    const from = pixel(y, top - (one.of[below] ?? 0));
    return svg('rect', {
      class: name, x: pixel(x, one.from), y: from,
      width: Math.max(pixel(x, one.to) - pixel(x, one.from), 0.5),
      height: Math.max(pixel(y, 0) - pixel(y, one.value), 0)});
  });
}

/** What it is for, at the highest moment of a time and from its end on.
 * @typedef {{begin: number, end: number, high: number[], last: number[]}} Stack */

// In these colours; what is not told has another one.
const CATEGORY_COLOURS = ['weights', 'gradients', 'optimizer', 'NCCL',
                          'activations', 'workspace',
                          'other', 'weights or other'];

/** They come as differences, too. @param {any} data
 * @returns {{names: string[], moments: Stack[], unknown?: string}} */
function readCategories(data) {
  if (!data?.names) return {names: [], moments: [], unknown: data?.unknown};
  let time = 0;
  /** @type {number[]} */
  let before = data.names.map(() => 0);
  const moments = data.moments.map((/** @type {number[]} */ row) => {
    const begin = time + row[0];
    const high = before.map((value, i) => value + row[2 * i + 2]);
    const last = high.map((value, i) => value + row[2 * i + 3]);
    time = begin + row[1];
    before = last;
    return {begin, end: time, high, last};
  });
  return {names: data.names, moments};
}

/** @param {number[]} values */
function total(values) {
  return values.reduce((sum, one) => sum + one, 0);
}

/** When most was held between two times. @param {Stack[]} moments
 * @param {number} from @param {number} to @returns {number[]|undefined} */
function stackAt(moments, from, to) {
  const first = indexAt(moments, from);
  const before = moments[first];
  let best = before && (before.end > from ? before.high : before.last);
  for (let i = first + 1; i < moments.length && moments[i].begin <= to; ++i) {
    if (!best || total(moments[i].high) > total(best)) best = moments[i].high;
  }
  return best;
}

/** @param {string} name */
function categoryClass(name) {
  const at = CATEGORY_COLOURS.indexOf(name);
  return 'cell ' + (at >= 0 ? `c${at}`
                            : name === 'not told apart' ? 'free' : 'other');
}

/** Areas on each other. @param {Stack[]} moments @param {string[]} names
 * @param {Scale} x @param {Scale} y */
function stackedAreas(moments, names, x, y) {
  const end = Math.min(x.at + x.length, pixel(x, x.until ?? x.to) + 1);
  /** @type {{at: number, sums: number[]}[]} */
  const found = [];
  for (let at = x.at; at < end; ++at) {
    let sum = 0;
    const here = stackAt(moments, valueAt(x, at), valueAt(x, at + 1));
    if (here) found.push({at, sums: [0, ...here.map((one) => sum += one)]});
  }
  const line = (/** @type {number} */ i) =>
    edge(found.map((one) => ({at: one.at, value: one.sums[i]})), y);
  return found.length === 0 ? [] : names.map((name, i) =>
    between(categoryClass(name) + ' stacked', line(i + 1), line(i)));
}
