// @ts-check
// SPDX-License-Identifier: Apache-2.0
// cuDNN: which calls failed, which layers it worked on and with how much
// workspace; and versions, processes and coverage, which are tables alone.

/** What the driver said was free when it was least; of several devices it is
 * not known which one a layer ran on. @returns {number|null} */
function leastFree() {
  const devices = page.timeline?.devices ?? [];
  if (devices.length !== 1) return null;
  const {capacity_bytes: all, samples} = devices[0];
  const used = objects(samples).map((one) => one.used_bytes)
      .filter((one) => one !== null);
  return all && used.length > 0 ? Math.max(0, all - Math.max(...used)) : null;
}

/** Bars of the largest workspaces. @param {Rows} rows */
function workspaceBars(rows) {
  const layers = objects(rows).filter((one) => one.workspace_bytes > 0)
      .sort((a, b) => b.workspace_bytes - a.workspace_bytes).slice(0, 12);
  if (layers.length === 0) return null;
  const free = leastFree();
  const most = Math.max(layers[0].workspace_bytes, free ?? 0);
  return el('div', {class: 'comparison', role: 'img',
                    'aria-label': 'The largest workspaces; the table below has ' +
                                  'the same figures'},
            dim('The largest workspaces'),
            ...layers.map((one) => bar(one.operation || one.function,
                                       one.workspace_bytes, most,
                                       one.failed > 0 ? 'bar-asked' : 'bar-hole')),
            free !== null && bar('free on the device when least was', free, most,
                                 'bar-free'));
}

/** @returns {Part|null} */
function cudnnPart() {
  const tables = page.tables ?? {};
  if (!tables.cudnn_stat && !tables.library_checks) return null;
  const failed = (/** @type {string} */ name) => (/** @type {any[]} */ row) =>
    row[tables[name].columns.indexOf('result')] !== 0 ? 'failed' : '';
  const calls = objects(tables.cudnn_stat);
  const bad = calls.filter((one) => one.result !== 0);
  const sum = (/** @type {any[]} */ list) =>
    list.reduce((all, one) => all + one.calls, 0);
  return {title: 'cuDNN', body: el(
      'div', {},
      calls.length > 0 && el('p', {}, `${plural(sum(calls), 'call')} of ` +
         `${plural(new Set(calls.map((one) => one.function)).size,
                   'function')}, ${counted(sum(bad))} of them failed.`),
      tableOf('cudnn_failures', 'Failed calls', failed('cudnn_failures')),
      tables.library_checks && tableOf(
          'library_checks', 'Whether its parts fit', failed('library_checks')),
      tables.cudnn_layers && workspaceBars(tables.cudnn_layers),
      tableOf('cudnn_layers', 'Layers, and how they were run',
              (row) => row[tables.cudnn_layers.columns.indexOf('failed')] > 0
                ? 'failed' : ''),
      tableOf('cudnn_switches', 'Layers that changed how they run'),
      foldedTable('cudnn_stat', 'Calls by function and result'))};
}

/** @returns {Part|null} */
function versionsPart() {
  const about = page.verdict.cause.startsWith('version/');
  const parts = [tableOf('fits', 'What fits what', (row) =>
                   row.at(-1) === 'does not fit' ? 'failed' : ''),
                 tableOf('versions', 'Versions seen'),
                 tableOf('devices', 'Devices'), tableOf('packages', 'Packages'),
                 about ? tableOf('libraries', 'Libraries')
                       : foldedTable('libraries', 'Libraries'),
                 foldedTable('environment', 'Environment')].filter(Boolean);
  return parts.length > 0
      ? {title: 'Versions and devices', body: el('div', {}, ...parts)} : null;
}

/** @returns {Part|null} */
function runPart() {
  const {run, processes} = page.tables ?? {};
  const parts = [run && (run.rows.length === 1 ? list(run)
                                               : table(run, 'Runs')),
                 processes && (processes.rows.length === 1 && !run
                   ? list(processes) : table(processes, 'Processes'))]
      .filter(Boolean);
  return parts.length > 0
      ? {title: 'The run', body: el('div', {}, ...parts)} : null;
}

/** What recorded when, what was lost, which rules could not be applied.
 * @returns {Part|null} */
function coveragePart() {
  const verdict = page.verdict;
  const losses = {columns: ['process', 'kind', 'count', 'note'],
                  rows: verdict.losses, more: 0};
  const skipped = verdict.skipped.reduce(
      (/** @type {number} */ sum, /** @type {any} */ one) => sum + one[1].length,
      0);
  const parts = [
    verdict.losses.length > 0 && table(losses, 'Lost records'),
    tableOf('coverage', 'What recorded from when to when',
            (row) => row.includes('failed') ? 'failed' : ''),
    skipped > 0 && folded(
        `${plural(skipped, 'rule')} not applied, for want of what they read`,
        () => el('dl', {class: 'skipped'}, ...verdict.skipped.flatMap(
            (/** @type {[string, string[]]} */ [missing, rules]) =>
              [el('dt', {}, missing), el('dd', {}, rules.join(', '))]))),
    page.unread.length > 0 && el('ul', {class: 'failed'}, ...page.unread.map(
        (/** @type {string} */ why) => el('li', {}, 'This page lacks a part: ' +
                                          why))),
  ].filter(Boolean);
  return parts.length > 0
      ? {title: 'Coverage and losses', body: el('div', {}, ...parts)} : null;
}
