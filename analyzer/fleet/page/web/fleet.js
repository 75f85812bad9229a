// @ts-check
// SPDX-License-Identifier: Apache-2.0
// The page of a fleet: how much was lost and by what, then where and when.

/** The sentence about what costs most. @param {any} sums */
function costliest(sums) {
  const first = objects(answer('causes'))[0];
  if (sums.gpu_hours === null || sums.gpu_hours === undefined) {
    return 'Of no run that died are the GPU-hours known.';
  }
  const all = `The runs that died took ${gpuHours(sums.gpu_hours)}, an upper ` +
      'limit of what was lost';
  if (!first?.gpu_hours || sums.gpu_hours === 0) return all + '.';
  return `${all}; ${first.cause} has ${hours(first.gpu_hours)} of them (${
    cellText('share', first.gpu_hours / sums.gpu_hours)}).`;
}

function fleetHead() {
  const sums = objects(answer('overview'))[0];
  const scope = page.days > 0
    ? `Runs of the last ${plural(page.days, 'day')}, and those without a time.`
    : 'All runs in the database.';
  if (!sums) {
    return el('div', {class: 'verdict open', id: 'verdict'},
              el('h1', {}, 'A fleet of runs'), dim(scope));
  }
  const title = `${plural(sums.runs, 'run')}: ${
    counted(sums.died_of_a_known_cause ?? 0)} died of a known cause, ${
    counted(sums.unknown ?? 0)} of an unknown one`;
  document.title = title;
  return el('div', {class: 'verdict open', id: 'verdict'},
            el('p', {class: 'cause'}, 'fleet'), el('h1', {}, title),
            el('p', {class: 'summary'}, costliest(sums)),
            dim(scope));
}

/** @returns {Part|null} */
function overviewPart() {
  const of = answer('overview');
  if (!of || of.rows.length === 0) return null;
  const rows = of.columns.map((column, i) => /** @type {[string, string]} */ (
    [columnTitle(column), of.rows[0][i] === null ? 'unknown'
                                                : cellText(column, of.rows[0][i])]));
  return {title: of.title, body: el('div', {}, pairs(rows),
                                    el('p', {class: 'dim note'}, of.note))};
}

showPage(fleetHead(), [
  causesPart, trendsPart, () => lemonsPart('nodes', 'node', 'Nodes'),
  () => lemonsPart('gpus', 'gpu', 'Cards, by UUID'), unknownPart, otherParts,
  overviewPart],
         `inquest ${page.tool.version} · ${page.database}`);
