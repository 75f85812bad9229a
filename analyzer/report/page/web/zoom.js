// @ts-check
// SPDX-License-Identifier: Apache-2.0
// What pictures over time have in common: they zoom by dragging, buttons and
// keys. A picture draws itself between `from` and `to`, and says what stands
// under the pointer.

class Zoomed {
  /** @param {[number, number]} whole the time of all @param {Frame} frame */
  begin(whole, frame) {
    this.whole = whole;
    this.frame = frame;
    [this.from, this.to] = whole;
    this.width = 0;
    /** @type {Object<string, () => void>} by their keys */
    this.acts = {
      '+': () => this.zoom(0.5), '-': () => this.zoom(2),
      '0': () => this.show(...whole),
    };
    whenSized(frame.place, (width) => this.draw(width));
  }

  /** @param {string} hint @param {Children} more controls */
  addZoom(hint, ...more) {
    const {acts} = this;
    fill(this.frame.controls, {}, [
      button('+', 'Zoom in', acts['+']), button('−', 'Zoom out', acts['-']),
      button('All', 'The whole time', acts['0']), ...more,
      el('span', {class: 'dim hint'}, hint)]);
  }

  /** @param {number} from @param {number} to */
  show(from, to) {
    const [first, last] = this.whole;
    const length = clamp(to - from, Math.min(1000, last - first), last - first);
    this.from = clamp(from, first, last - length);
    this.to = this.from + length;
    this.draw(this.width);
    this.frame.renew();
  }

  /** Around what is pointed at. @param {number} factor of the time shown */
  zoom(factor) {
    const at = clamp(this.pointed() ?? (this.from + this.to) / 2, this.from,
                     this.to);
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** @param {SVGElement} picture @param {number} height of it
   * @param {number} bottom of what is drawn @param {Scale} x */
  listen(picture, height, bottom, x) {
    /** @type {number|null} */
    let pressed = null;
    const brush = svg('rect', {class: 'brush', y: TOP, height: bottom - TOP,
                               width: 0});
    picture.append(brush);
    const at = (/** @type {PointerEvent} */ event) => {
      const place = placeIn(picture, event, this.width, height);
      return {x: clamp(place.x, x.at, x.at + x.length), y: place.y};
    };
    on(picture, 'pointerdown', (event) => {
      if (event.button !== 0) return;
      pressed = at(event).x;
      picture.setPointerCapture(event.pointerId);
    });
    on(picture, 'pointermove', (event) => {
      const now = at(event);
      this.hover(valueAt(x, now.x), now.y);
      if (pressed !== null) {
        fill(brush, {x: Math.min(now.x, pressed),
                     width: Math.abs(now.x - pressed)}, []);
      }
    });
    on(picture, 'pointerup', (event) => {
      const ends = [pressed ?? 0, at(event).x].sort((a, b) => a - b);
      const was = pressed;
      pressed = null;
      if (was === null || ends[1] - ends[0] < 4) return;
      this.show(valueAt(x, ends[0]), valueAt(x, ends[1]));
    });
    on(picture, 'dblclick', this.acts['0']);
    on(picture, 'keydown', (event) => {
      const act = this.acts[event.key === '=' ? '+' : event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
      // It may have been drawn anew.
      this.frame.place.querySelector('svg[tabindex]')?.focus();
    });
  }
}
