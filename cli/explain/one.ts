/** Everything about one episode, put together: its facts, what today's code makes of its history, and what every guard would have cost over its batch. */
import { existsSync } from 'node:fs';
import { boundedFacts } from '../../contract/bounded-facts.ts';
import type { EpisodeFacts } from '../../contract/episode-facts.ts';
import { judgeWorlds } from '../../checker/judge.ts';
import { episodeOf } from '../../database/episodes.ts';
import { factsOf } from '../../database/facts.ts';
import type { Pool } from '../../database/pool.ts';
import type { Account } from '../../explain/account.ts';
import { explain, type Explanation } from '../../explain/explain.ts';
import { leaksOf } from '../leaks/entries.ts';
import { printable, UserError } from '../output.ts';
import { readHistory, type ReadHistory } from '../replay/read-history.ts';
import { replayHistories } from '../replay/run.ts';
import type { Settings } from '../runtime/settings.ts';
import { costsOfBatch } from './batch-costs.ts';
import { contradictionsOf } from './contradictions.ts';
import { historyOf } from './fetch-history.ts';
import { factsFromHistory, leftOut } from './from-history.ts';

/** Whether what was asked for is a file: a workflow's id may hold slashes too, but names no file and does not end like one. */
export const isFile = (asked: string): boolean => asked.endsWith('.json') || existsSync(asked);

/** From a history file alone: no server, no database. @throws UserError where it is torn or no episode's */
export async function accountOfFile(file: string): Promise<Account> {
  const read = await readHistory(file);
  const { facts, event, cannotKnow } = factsFromHistory(read);
  const without = event === null ? [] : ['What each guard would have cost over the batch: that takes the database.'];
  return { explanation: explain(facts), source: event === null ? 'events' : 'history', replay: await replayed(read), cannotKnow: [...cannotKnow, ...without], contradictions: [], costs: null };
}

/** From a workflow's id: facts from the database, the history from Temporal where it answers. @throws UserError where neither knows the id */
export async function accountOfEpisode(pool: Pool, settings: Settings, episodeId: string): Promise<Account> {
  // Bounded as a history has them, so that both say the same, to the letter.
  const [history, known] = await Promise.all([historyOf(settings, episodeId), factsOf(pool, episodeId).then((facts) => facts && boundedFacts(facts))]);
  if (known === undefined && history.read === null) throw new UserError(`Nothing is known of an episode "${printable(episodeId)}": ${history.why}, and the database has none of this id.`);
  const unanswered = history.read === null ? [`Whether today's code replays it: ${history.why}.`] : [];
  if (known === undefined) return fromHistory(history.read as ReadHistory);
  const explanation = explain(known);
  const [replay, costs, books] = await Promise.all([
    history.read === null ? null : replayed(history.read), episodeOf(pool, episodeId).then((row) => (row === undefined ? null : costsOfBatch(pool, row.batchId))), booksOf(pool, known, explanation),
  ]);
  const cut = costs !== null && costs.more ? ["What each guard would have cost beyond the batch's first episodes."] : [];
  return {
    explanation: withBooks(explanation, books), source: 'database', replay, cannotKnow: [...leftOut(known), ...unanswered, ...cut],
    contradictions: [...books, ...(history.read === null ? [] : againstHistory(history.read, known))], costs: costs === null ? null : { batchId: costs.batchId, guards: costs.guards },
  };
}

/** What the judge, asked now, finds in the episode's world that no explanation from its own records can be right about. */
async function booksOf(pool: Pool, { worldId, steps }: EpisodeFacts, { verdict }: Explanation): Promise<readonly string[]> {
  const [world] = await judgeWorlds(pool, { worldIds: [worldId] });
  if (world === undefined || world.status === 'unknown') return [`The judge cannot judge the world now: ${world?.why ?? 'it gives no judgement'}.`];
  const own = new Set(steps.map((step) => step.opKey));
  return leaksOf(world, undefined).filter((leak) => (leak.kind === 'unexplained' || verdict !== 'leak') && (leak.opKey === null || own.has(leak.opKey))).map((leak) => `The judge finds now: ${leak.opKey === null ? '' : `${leak.opKey} `}${leak.reasons.join('; ')}.`);
}

/** Where the books do not add up, what the episode's own records say is no verdict. */
function withBooks(explanation: Explanation, books: readonly string[]): Explanation {
  return books.length === 0 ? explanation : { ...explanation, verdict: 'unknown', answer: `The books do not add up, so nothing is certain. ${books.join(' ')} By the episode's own records: ${explanation.answer}` };
}

async function fromHistory(read: ReadHistory): Promise<Account> {
  const { facts, event, cannotKnow } = factsFromHistory(read);
  return { explanation: explain(facts), source: event === null ? 'events' : 'history', replay: await replayed(read), cannotKnow, contradictions: ['Temporal has the episode and the database has not: it was cleaned, or it is another database.'], costs: null };
}

function againstHistory(read: ReadHistory, known: EpisodeFacts): readonly string[] {
  const { facts, event } = factsFromHistory(read);
  return event === null ? [] : contradictionsOf({ event, facts }, known);
}

/** What the replay reports: the one place that knows how it is asked. */
async function replayed(read: ReadHistory): Promise<Account['replay']> {
  const [one] = await replayHistories([read]);
  return one === undefined ? null : { result: one.result, why: one.why, findings: one.findings.map(({ sentence }) => sentence), events: one.events, ended: one.ended };
}
