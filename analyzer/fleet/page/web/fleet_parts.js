// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The answers about a fleet: what they have as bars, all of them as tables.

/** @typedef {{id: string, title: string, note: string, columns: string[],
 *   rows: any[][], cut: boolean}} Answer */

/** @param {string} id @returns {Answer|undefined} */
function answer(id) {
  return page.sections.find((/** @type {Answer} */ one) => one.id === id);
}

/** @param {number|null} value */
function gpuHours(value) {
  return value === null ? 'GPU-hours unknown' : `${hours(value)} GPU-hours`;
}

/** What is not known is called so. @param {Answer} of */
function answerTable(of) {
  const rows = of.rows.map((row) => row.map((value, i) =>
    value ?? (saysNothing({...of, more: 0}, i) ? null : 'unknown')));
  return el('div', {}, table({columns: of.columns, rows, more: 0}, of.title),
            of.cut && el('p', {class: 'dim'}, `The first ${
              counted(of.rows.length)}; --rows shows more.`));
}

/** @param {Answer} of @param {Children} pictures
 * @returns {Part} */
function answerPart(of, ...pictures) {
  const body = of.rows.length === 0 ? [el('p', {}, 'None.')]
    : pictures.length > 0 ? pictures : [answerTable(of)];
  return {title: of.title, body: el(
      'div', {}, ...body, of.note && el('p', {class: 'dim note'}, of.note))};
}

/** @returns {Part|null} */
function causesPart() {
  const of = answer('causes');
  if (!of) return null;
  const rows = objects(of);
  if (rows.length === 0) return answerPart(of);
  const detail = (/** @type {any} */ one) =>
    `${one.cause} · ${plural(one.runs, 'run')} · ${gpuHours(one.gpu_hours)}` +
    (one.hours_known_of < one.runs
      ? ` (known of ${counted(one.hours_known_of)} of them)` : '') +
    (one.last_time ? ` · last ${one.last_time} UTC` : '');
  const bars = (/** @type {string} */ by) => rows.map((one) => ({
    name: one.cause, value: by === 'hours' ? one.gpu_hours : one.runs,
    text: by === 'runs' ? plural(one.runs, 'run')
      : one.gpu_hours === null ? `unknown, ${plural(one.runs, 'run')}`
        : gpuHours(one.gpu_hours), detail: detail(one)}))
      .sort((a, b) => (b.value ?? -1) - (a.value ?? -1));
  const known = rows.some((one) => one.gpu_hours > 0);
  const chart = new BarChart(
      'What it cost', 'by the GPU-hours of the runs that died, or by their ' +
      'number.', bars(known ? 'hours' : 'runs'), () => answerTable(of));
  if (known) {
    chart.frame.controls.append(choice(
        'Measured in', [['hours', 'GPU-hours'], ['runs', 'runs']],
        (by) => chart.change(bars(by))));
  }
  return answerPart(of, chart.frame.figure);
}

/** Nodes or cards: how many of the runs that they were in they ended.
 * @param {string} id @param {string} name of the column that names one
 * @param {string} title @returns {Part|null} */
function lemonsPart(id, name, title) {
  const of = answer(id);
  if (!of) return null;
  const bars = objects(of).map((one) => {
    const many = one.causes > 1
      ? `${one.cause} and ${plural(one.causes - 1, 'other cause')}` : one.cause;
    return {
      name: one[name], value: one.faults, of: one.runs_seen,
      text: `${counted(one.faults)} of ${plural(one.runs_seen, 'run')}`,
      detail: `${one[name]} · ended ${counted(one.faults)} of ${
        plural(one.runs_seen, 'run')} (${cellText('share', one.share)}) · ${many
      }` + (name === 'gpu' ? ` · in ${one.node ?? 'an unknown node'}` +
        (one.nodes > 1 ? ` and ${plural(one.nodes - 1, 'more node')}` : '')
        : '') + (one.gpu_hours ? ` · ${gpuHours(one.gpu_hours)}` : '') +
        (one.last_time ? ` · last ${one.last_time} UTC` : '')};
  });
  if (bars.length === 0) return answerPart(of);
  return answerPart(of, new BarChart(
      title, 'coloured: runs that ended by its own fault; grey: all runs seen ' +
      'with it.', bars, () => answerTable(of)).frame.figure);
}

/** @returns {Part|null} */
function unknownPart() {
  const of = answer('unknown');
  if (!of) return null;
  const bars = objects(of).map((one) => ({
    name: one.template, value: one.runs, text: plural(one.runs, 'run'),
    detail: `${one.template} · ${plural(one.runs, 'run')} on ${
      one.nodes > 0 ? plural(one.nodes, 'node') : 'unknown nodes'} · ${
      gpuHours(one.gpu_hours)} · for example ${one.for_example}`}));
  if (bars.length === 0) return answerPart(of);
  return answerPart(of, new BarChart(
      'How they ended', 'by the wording of the decisive line, without numbers, ' +
      'paths and ids.', bars, () => answerTable(of)).frame.figure);
}

/** Those without a picture, and a site's own. @returns {Part[]} */
function otherParts() {
  const drawn = new Set(['overview', 'causes', 'nodes', 'gpus', 'unknown']);
  return page.sections.filter((/** @type {Answer} */ one) => !drawn.has(one.id))
      .map((/** @type {Answer} */ one) => answerPart(one));
}
