/** One request: its parts are drawn anew only where their data changed, so that a poll moves neither focus nor scroll. */
import { el, humanized, put, write } from './dom.js';
import { changePart, proposalPart, saidPart, sincePart, whoPart } from './sections.js';
import { moment } from './time.js';

/** What can be done, in the order of the buttons: kind, label, key. */
const actions = [['approve', 'Approve', 'a'], ['reject', 'Reject', 'r'], ['edit', 'Edit', 'e'], ['comment', 'Comment', 'c'], ['escalate', 'Hand on', 'h']];

/** The page's parts from top to bottom, each with the data that it shows. */
const sections = [
  ['proposal', proposalPart, ({ request, instruction }) => [request.digest, instruction]],
  ['change', changePart, ({ preview, request }) => [preview?.change, request.live]],
  ['since', sincePart, ({ preview, changes, guard, request }) => [preview?.rows, preview?.clauses, changes, guard, request.live]],
  ['said', saidPart, ({ said, refusals }) => [said, refusals]],
  ['who', whoPart, ({ request, approvedBy }) => [request, approvedBy]],
];

const verdicts = { approve: 'Approved', reject: 'Rejected', edit: 'Edited: another proposal took its place', expired: 'Expired: nobody decided in time', cancelled: 'Cancelled' };

/** Builds the page once for a request. `act(kind)` opens what a button is for. */
export function createDetail(main, act) {
  const title = el('h2', { id: 'detail-title', tabindex: '-1' });
  const meta = el('p', { class: 'meta' });
  const forecast = el('p', { id: 'forecast', role: 'status' });
  const why = el('p', { id: 'why', class: 'hint' });
  const buttons = actions.map(([kind, label, key]) =>
    el('button', { type: 'button', id: kind, class: kind === 'approve' ? 'main' : null, 'aria-keyshortcuts': key, 'aria-describedby': 'why', onclick: () => act(kind) }, label));
  const parts = sections.map(([name, make, of]) => ({ make, of, box: el('section', { id: name }), drawn: '' }));
  put(main, el('article', { 'aria-labelledby': 'detail-title' },
    el('p', { class: 'back' }, el('a', { href: '#', id: 'back' }, 'Back to the list')), title, meta, forecast, parts.map((part) => part.box),
    el('div', { class: 'actions', role: 'group', 'aria-label': 'Decide' }, buttons, why)));
  return {
    title,
    draw(detail, me) {
      const { request } = detail;
      write(title, humanized(detail.proposal.tool));
      const facts = JSON.stringify([request.verdict, request.live, request.expiresAt]);
      if (meta.dataset.drawn !== facts) {
        meta.dataset.drawn = facts;
        put(meta, `proposed by ${request.proposer}, `, moment(request.requestedAt), ...(request.live ? [', ends ', moment(request.expiresAt)] : []));
      }
      forecast.className = detail.forecast?.outcome ?? 'ended';
      write(forecast, detail.forecast?.sentence ?? endInWords(request));
      for (const part of parts) {
        const now = JSON.stringify(part.of(detail));
        if (now === part.drawn) continue;
        part.drawn = now;
        put(part.box, part.make(detail));
      }
      const problem = problemOf(detail, me);
      write(why, problem ?? '');
      for (const button of buttons) button.disabled = !me.scopes.includes(button.id) || (button.id === 'comment' ? false : problem !== null);
    },
  };
}

/** Why this person cannot decide, or null. */
function problemOf({ request, mine, approvedBy }, { person }) {
  if (!request.live) return 'There is nothing to decide any more.';
  if (request.proposer === person || request.proposer === `person:${person}`) return 'You proposed this: somebody else decides.';
  if (approvedBy.includes(person)) return 'You approved this; others must approve as well.';
  if (!mine) return request.assignedTo === null ? 'You are not on the list of those who may decide this.' : `This was handed on to ${request.assignedTo}.`;
  return null;
}

function endInWords({ verdict, decidedBy, via, comment, expiresAt }) {
  if (verdict === null) return Date.parse(expiresAt) < Date.now() ? 'The window has ended: nothing can be decided any more.' : 'The step was given up: nothing can be decided any more.';
  return `${verdicts[verdict]}${decidedBy === 'engine' ? '' : via === 'auto' ? ', simulated' : ` by ${decidedBy}`}${via === 'update' || via === 'signal' ? ', unauthenticated' : ''}.${comment === '' ? '' : ` ${comment}`}`;
}
