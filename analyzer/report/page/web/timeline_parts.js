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
  const top = found.map((one) => `${one.at},${pixel(y, one.high).toFixed(1)}` +
                        ` ${one.at + 1},${pixel(y, one.high).toFixed(1)}`);
  const bottom = pixel(y, 0);
  const band = found.slice().reverse().map(
      (one) => `${one.at + 1},${pixel(y, one.low).toFixed(1)} ` +
               `${one.at},${pixel(y, one.low).toFixed(1)}`);
  const ends = [`${found[0].at},${bottom}`, `${found.at(-1)?.at},${bottom}`];
  return [
    svg('polygon', {class: `${name} area`,
                    points: [ends[0], ...top, ends[1]].join(' ')}),
    svg('polygon', {class: `${name} band`,
                    points: [...top, ...band].join(' ')}),
    svg('polyline', {class: `${name} line`, points: top.join(' ')}),
  ];
}

/** The line of the most alone. @param {Moment[]} moments @param {Scale} x
 * @param {Scale} y @param {string} name class */
function lineOf(moments, x, y, name) {
  const points = columns(moments, x).map(
      (one) => `${one.at},${pixel(y, one.high).toFixed(1)}`);
  return svg('polyline', {class: `${name} line`, points: points.join(' ')});
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
                 to: clamp(until, x.from, x.to), value: known[i][column]});
  }
  return points;
}

/** @param {any[]} samples @param {string} column @param {Scale} x
 * @param {Scale} y @param {string} name class */
function stairLine(samples, column, x, y, name) {
  const points = stairs(samples, column, x).flatMap((one) => [
    `${pixel(x, one.from).toFixed(1)},${pixel(y, one.value).toFixed(1)}`,
    `${pixel(x, one.to).toFixed(1)},${pixel(y, one.value).toFixed(1)}`]);
  return svg('polyline', {class: `${name} line`, points: points.join(' ')});
}

/** Bars that hang from the device's size. @param {any[]} samples
 * @param {string} column @param {number} top @param {Scale} x
 * @param {Scale} y @param {string} name class */
function hanging(samples, column, top, x, y, name) {
  return stairs(samples, column, x).filter((one) => one.value > 0).map(
      (one) => svg('rect', {
        class: name, x: pixel(x, one.from), y: pixel(y, top),
        width: Math.max(pixel(x, one.to) - pixel(x, one.from), 0.5),
        height: Math.max(pixel(y, top - one.value) - pixel(y, top), 0)}));
}
