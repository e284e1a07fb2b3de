/** The parts of one request's page, each from the data it shows. */
import { el, humanized, shown, spaced } from './dom.js';
import { absolute, moment } from './time.js';

const clauseWords = { status: 'operational status allows it', policy: 'policy allows it', integrity: 'records agree with each other', notApplied: 'not done already' };
const section = (title, ...children) => [el('h3', {}, title), ...children];

/** The call in words. */
export function proposalPart({ request, proposal, instruction, look }) {
  const specs = look.tool?.arguments ?? {};
  return section('Proposal',
    instruction === null ? null : el('blockquote', { cite: '' }, instruction),
    el('p', {}, `${request.proposer} proposes: ${look.tool?.description ?? 'a tool that is not known here.'}`),
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
  if (preview === null) return request.live ? [] : section('Change', el('p', {}, 'Decided already: the history of the episode says what became of it.'));
  const said = { busy: 'Somebody is changing one of these rows at this moment: look again.', gone: `Nothing could be written: ${preview.missing?.join(', ')} is not there.`, impossible: `Nothing could be written: ${preview.why}.` }[preview.state];
  return section('Exactly what it would change now', said === undefined
    ? preview.rows.map((change) => diff(`${kinds[change.kind]}${change.table}${change.key === null ? '' : ` ${change.key}`}`, change.columns, ['now', 'afterwards']))
    : el('p', {}, said));
}

/** What is not as it was when the model looked: rows, who wrote what, and every clause. */
export function sincePart({ look, guard, request }) {
  const moved = look.rows.map((read) => el('li', {}, `${read.table} ${read.key}: `,
    read.versionNow === null ? el('strong', {}, 'gone') : read.versionNow === read.versionRead ? `version ${read.versionRead}, as it was read` : el('strong', {}, `version ${read.versionRead} -> ${read.versionNow}`),
    read.columns.map((change) => el('span', { class: 'moved' }, ` ${change.column} ${shown(change.before)} -> ${shown(change.after)}`))));
  const others = look.changes.map((change) => el('li', {}, moment(change.at), ` ${change.actor}: ${change.table} ${change.key} (${change.reason})${change.inReadSet ? '' : ', a row that the proposal does not rest on'}`));
  const clauses = look.clauses === null ? null : el('ul', { class: 'clauses' }, Object.entries(look.clauses).map(([name, holds]) => el('li', { class: holds ? 'holds' : 'fails' },
    el('span', { class: 'mark' }, holds ? '✓ ' : '✗ '), `${clauseWords[name]}: ${holds ? 'holds' : 'does not hold'}`, guard.kind !== 'predicate' || guard.without.includes(name) ? ' (this guard does not ask)' : '')));
  return section(request.live ? 'Since the model looked' : 'As it is by now', el('ul', { class: 'rows' }, moved), others.length === 0 ? null : [el('h4', {}, 'Who wrote'), el('ol', {}, others)], el('h4', {}, 'Clauses'), clauses ?? el('p', {}, 'Nothing can be checked.'));
}

/** Who may decide, and what is bound by it. */
export function whoPart({ request, approvedBy, guard, proposal, link }) {
  const { approvers, assignedTo, needed, opKey, digest, episodeId, requestedAt, expiresAt } = request;
  const fact = (name, ...value) => el('div', {}, el('dt', {}, name), el('dd', {}, ...value));
  return section('What a decision is bound to', el('dl', { class: 'facts' },
    fact('may decide', assignedTo === null ? approvers.join(', ') : `${assignedTo} (it was handed on), of ${approvers.join(', ')}`),
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
