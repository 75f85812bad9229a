// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Axes: where ticks stand, and how they are written.

/**
 * @typedef {object} Scale
 * @property {number} from @property {number} to values at both ends
 * @property {number} at pixel of `from` @property {number} length in pixels
 * @property {number} [until] beyond this value nothing is known
 */

// What a picture with axes leaves free around it.
const LEFT = 74;
const RIGHT = 12;
const TOP = 18;
const BOTTOM = 34;

/** @param {Scale} scale @param {number} value */
function pixel(scale, value) {
  return scale.at + (value - scale.from) * scale.length /
      ((scale.to - scale.from) || 1);
}

/** @param {Scale} scale @param {number} pixels */
function valueAt(scale, pixels) {
  return scale.from + (pixels - scale.at) * (scale.to - scale.from) /
      (scale.length || 1);
}

/** @param {number} from @param {number} to @param {number} step */
function multiples(from, to, step) {
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    found.push(at);
  }
  return found;
}

/** Steps of sizes are powers of two. @param {number} most */
function sizeTicks(most) {
  let step = 1;
  while (most / step > 6) step *= 2;
  return multiples(0, most, step);
}

/** A size as a tick: without decimals that say nothing. @param {number} value */
function sizeLabel(value) {
  return bytes(value).replace(/\.00 /, ' ').replace(/(\.\d)0 /, '$1 ');
}

const SECOND = 1e9;
const TIME_STEPS = [
  ...[1e3, 1e4, 1e5, 1e6, 1e7, 1e8].flatMap((n) => [n, 2 * n, 5 * n]),
  ...[1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600,
      43200, 86400].map((n) => n * SECOND),
];

/** @param {number} from @param {number} to @param {number} most ticks */
function timeTicks(from, to, most) {
  let step = TIME_STEPS.find((one) => (to - from) / one <= most);
  if (!step) {
    step = 86400 * SECOND;
    while ((to - from) / step > most) step *= 2;
  }
  return {ticks: multiples(from, to, step), step};
}

/** @param {number} at @param {number} step between ticks */
function timeLabel(at, step) {
  if (step < 1e6) return `${(at / 1e3).toFixed(0)} µs`;
  if (step < SECOND) {
    return at < SECOND ? `${(at / 1e6).toFixed(0)} ms`
                       : `${(at / 1e9).toFixed(step < 1e7 ? 3 : 2)} s`;
  }
  const seconds = Math.round(at / SECOND);
  if (seconds < 60) return `${seconds} s`;
  const pad = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const text = `${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
  return `${Math.floor(seconds / 3600)}:${text}`;
}

/** @param {number} from @param {number} to @param {number} most ticks */
function countTicks(from, to, most) {
  let step = 1;
  for (let i = 0; (to - from) / step > most; ++i) step *= i % 3 === 1 ? 2.5 : 2;
  return multiples(from, to, step);
}

/** Horizontal lines with sizes beside them.
 * @param {Scale} y @param {number} left @param {number} right */
function sizeAxis(y, left, right) {
  return svg('g', {class: 'axis'}, ...sizeTicks(y.to).flatMap((value) => [
    stroke(null, left, pixel(y, value), right, pixel(y, value)),
    svg('text', {x: left - 6, y: pixel(y, value) + 4, 'text-anchor': 'end'},
        sizeLabel(value)),
  ]));
}

/** @param {Scale} x @param {number[]} ticks @param {number} top
 * @param {(at: number) => string} label */
function bottomAxis(x, ticks, top, label) {
  return svg('g', {class: 'axis'}, ...ticks.flatMap((at) => [
    stroke(null, pixel(x, at), top, pixel(x, at), top + 4),
    svg('text', {x: pixel(x, at), y: top + 16, 'text-anchor':
          pixel(x, at) > x.at + x.length - 20 ? 'end' : 'middle'}, label(at)),
  ]));
}
