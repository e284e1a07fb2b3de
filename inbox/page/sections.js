/** The parts of one request's page, each from the data it shows. */
import { el, humanized, shown, spaced } from './dom.js';
import { absolute, moment } from './time.js';

const clauseWords = { status: 'operational status allows it', policy: 'policy allows it', integrity: 'records agree with each other', notApplied: 'not done already' };
const people = (approvers) => approvers.join(', ') || 'nobody';
const section = (title, ...children) => [el('h3', {}, title), ...children];

/** The call in words. */
export function proposalPart({ request, proposal, instruction, tool }) {
  const specs = tool?.arguments ?? {};
  return section('Proposal',
    instruction === null ? null : el('blockquote', { cite: '' }, instruction),
    el('p', {}, `${request.proposer} proposes: ${tool?.description ?? 'a tool that is not known here.'}`),
    el('dl', { class: 'arguments' }, Object.entries(proposal.arguments).map(([name, value]) =>
      el('div', {}, el('dt', {}, spaced(name), el('span', { class: 'hint' }, ` ${specs[name]?.description ?? 'not known to the tool'}`)), el('dd', {}, shown(value))))));
}

const row = (change) => el('tr', {}, el('th', { scope: 'row' }, change.column),
  el('td', {}, 'before' in change ? el('del', {}, el('span', { class: 'mark' }, '− '), shown(change.before)) : el('span', { class: 'hint' }, 'no row')),
  el('td', {}, 'after' in change ? el('ins', {}, el('span', { class: 'mark' }, '+ '), shown(change.after)) : el('span', { class: 'hint' }, 'no row')));

const diff = (caption, columns, [before, after]) => el('div', { class: 'wide' }, el('table', { class: 'diff' }, el('caption', {}, caption),
  el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'column'), el('th', { scope: 'col' }, before), el('th', { scope: 'col' }, after))), el('tbody', {}, columns.map(row))));

const kinds = { insert: 'new row in ', update: '', delete: 'deleted: ' };

/** What the commit would write now. */
export function changePart({ preview, request }) {
  if (!request.live) return [];
  const change = preview?.change ?? { state: 'unknown' };
  const said = {
    busy: 'Somebody is changing one of these rows at this moment: look again.', gone: `Nothing could be written: ${change.missing?.join(', ')} is not there.`,
    impossible: `Nothing could be written: ${change.why}.`, unknown: 'It cannot be told: the tool is not known.',
  }[change.state];
  return section('Exactly what it would change now', said === undefined
    ? change.rows.map((one) => diff(`${kinds[one.kind]}${one.table}${one.key === null ? '' : ` ${one.key}`}`, one.columns, ['now', 'afterwards']))
    : el('p', {}, said));
}

/** What is not as it was when the model looked: rows, who wrote what, and every clause. */
export function sincePart({ preview, changes, guard, request }) {
  const rows = preview?.rows ?? [];
  const read = rows.map(({ table, key, versionRead, versionNow, columns }) => el('li', {}, `${table} ${key}: `,
    versionNow === versionRead ? `version ${versionRead}, as it was read` : el('strong', {}, versionNow === null ? 'gone' : `version ${versionRead} -> ${versionNow}`),
    columns.map((change) => el('span', { class: 'moved' }, ` ${change.column} ${shown(change.before)} -> ${shown(change.after)}`))));
  const written = changes.map((change) => el('li', {}, moment(change.at), ` ${change.actor}: ${change.table} ${change.key} (${change.reason})${change.inReadSet ? '' : ', a row that the proposal does not rest on'}`));
  const clauses = Object.entries(preview?.clauses ?? {}).map(([name, holds]) => el('li', { class: holds ? 'holds' : 'fails' },
    el('span', { class: 'mark' }, holds ? '✓ ' : '✗ '), `${clauseWords[name]}: ${holds ? 'holds' : 'does not hold'}`, guard.kind !== 'predicate' || guard.without.includes(name) ? ' (this guard does not ask)' : ''));
  if (!request.live && written.length === 0) return [];
  return section('Since the model looked', rows.length === 0 ? null : el('ul', { class: 'rows' }, read), written.length === 0 ? null : [el('h4', {}, 'Who wrote'), el('ol', {}, written)],
    clauses.length === 0 ? null : [el('h4', {}, 'Clauses of the tool'), el('ul', { class: 'clauses' }, clauses)]);
}

/** Who may decide, and what is bound by it. */
export function whoPart({ request, approvedBy, guard, proposal, link }) {
  const { approvers, assignedTo, needed, opKey, digest, episodeId, requestedAt, expiresAt } = request;
  const fact = (name, ...value) => el('div', {}, el('dt', {}, name), el('dd', {}, ...value));
  return section('What a decision is bound to', el('dl', { class: 'facts' },
    fact('may decide', assignedTo === null ? people(approvers) : `${assignedTo} (it was handed on), of ${people(approvers)}`),
    fact('approvals', `${approvedBy.length} of ${needed}${approvedBy.length === 0 ? '' : `: ${approvedBy.join(', ')}`}`),
    fact('asked', absolute(requestedAt)), fact('ends', absolute(expiresAt), '; silence is not consent'),
    fact('allowed states', proposal.allowedStates.join(', ')), fact('guard', guard.kind, guard.without.length === 0 ? '' : ` without ${guard.without.join(', ')}`),
    fact('digest', el('code', {}, digest)), fact('op key', el('code', {}, opKey)),
    fact('episode', el('a', { href: `#episode=${encodeURIComponent(episodeId)}`, id: 'to-history' }, 'history of the episode'), link === null ? null : [', ', el('a', { href: link, target: '_blank', rel: 'noreferrer noopener' }, 'in the Temporal UI')])));
}

/** What was said so far, refusals too. */
export function saidPart({ said, refusals }) {
  if (said.length + refusals.length === 0) return section('Said so far', el('p', {}, 'Nothing.'));
  const line = (one) => el('li', {}, moment(one.at), ` ${one.person === '' ? 'somebody unknown' : one.person}: ${one.kind === 'remind' ? 'people were reminded' : humanized(one.kind).toLowerCase()}`,
    one.assignedTo === null ? '' : ` to ${one.assignedTo}`, one.refused === null ? '' : el('strong', {}, ` refused (${one.refused})`), one.comment === '' ? null : el('q', {}, one.comment), one.arguments === null ? null : el('code', {}, one.arguments));
  return section('Said so far', el('ol', { class: 'said' }, said.map(line), refusals.map((one) => el('li', {}, moment(one.at), ` ${one.by}, unauthenticated: ${one.verdict}`, el('strong', {}, ` refused (${one.reason})`)))));
}
