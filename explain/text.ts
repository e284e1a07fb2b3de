/** An account in words for a terminal. Every text in it may be a model's or a stranger's, so nothing of them reaches the terminal's controls. */
import { visibleText } from '../contract/visible-text.ts';
import type { Account } from './account.ts';
import type { GuardCost } from './costs.ts';
import type { Explanation } from './explain.ts';
import type { TimelineEntry } from './timeline.ts';

/** Lines for people. Times are UTC. */
export function accountText(account: Account): string {
  const { explanation, cannotKnow, contradictions, costs } = account;
  const { episodeId, caseId, model, guard, answer, remedy, timeline, clauses, guards, doubts } = explanation;
  return [
    `Episode ${safe(episodeId)}: ${safe(caseId)} by ${safe(model)}, guard ${guard}. ${sourceText(account)}`, '',
    safe(answer, 2_000), ...(remedy === null ? [] : [safe(remedy.text, 2_000)]), ...proposedLines(explanation), '',
    `Timeline (UTC, ${timeline[0]?.at.slice(0, 10) ?? 'no day'}${timeline.some((one) => one.unseen) ? '; ! was not in the read that the commit rests on' : ''})`, ...timeline.map((one) => line(one, timeline[0]?.at.slice(0, 10) ?? '')),
    ...(clauses === null ? [] : ['', "Clauses at the commit's instant", ...Object.entries(clauses).map(([clause, held]) => `  ${clause.padEnd(12)} ${held ? 'held' : 'did not hold'}`)]),
    ...(guards.length === 0 ? [] : ['', "Guards at the commit's instant", ...guards.map((one) => `${one.ran ? '* ' : '  '}${one.guard.padEnd(22)} ${one.lets === null ? 'unknown' : one.lets ? 'lets it through' : 'stops it'}: ${safe(one.why, 600)}`), '  * the one that ran']),
    ...(costs === null ? [] : ['', `What each guard would have cost over the batch ${safe(costs.batchId)}`, costsText(costs.guards)]),
    ...section('What cannot be known', cannotKnow), ...section('What does not agree', [...(account.replay?.findings ?? []), ...contradictions, ...doubts]),
  ].join('\n');
}

/** One line a guard: right work that it would have blocked, and leaks that it would have stopped. */
export function costsText(costs: readonly GuardCost[]): string {
  return costs.map((one) => `  ${one.guard.padEnd(22)} blocks ${share(one.rightBlocked, one.right)} right commits, stops ${share(one.leaksStopped, one.leaks)} leaks`).join('\n');
}

const share = (part: number, whole: number): string => `${String(part)}/${String(whole)}`;

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((text) => `  ${safe(text, 1_000)}`)];
}

/** Where the facts come from and what became of the replay, in a sentence. */
export function sourceText({ source, replay }: Account): string {
  const from = { database: 'Facts from the database', history: 'Facts from the history', events: "Facts from the history's events alone" }[source];
  const said = replay === null ? 'no history was replayed' : `${String(replay.events)} events${replay.ended ? '' : ', still running'}: ${replay.result}${replay.why === null ? '' : ` (${safe(replay.why, 600)})`}`;
  return `${from}; ${said}.`;
}

function proposedLines({ tool, proposed }: Explanation): string[] {
  return tool === null ? [] : [`Proposed: ${safe(tool)}${proposed === null ? '' : ` ${safe(JSON.stringify(proposed), 800)}`}`];
}

function line(one: TimelineEntry, day: string): string {
  const at = one.at.startsWith(day) ? one.at.slice(11, 23) : one.at;
  return `${one.unseen ? '!' : ' '} ${at}  ${one.step === null ? '       ' : `step ${String(one.step).padEnd(2)}`}  ${safe(one.event).padEnd(18)}${one.who === '' ? '' : `${safe(one.who)}: `}${safe(one.text, 600)}`;
}

function safe(text: string, most = 200): string {
  const visible = visibleText(text);
  return visible.length > most ? `${visible.slice(0, most)}…` : visible;
}
