/** Two decisions at the same instant through any two doors, two hundred times: one is accepted, the other refused with who decided what, and the ledger agrees. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Decision } from '../../contract/approval.ts';
import { requestOf } from '../../database/approvals.ts';
import { decisionsOf } from '../../database/decisions.ts';
import { update, voiceOf, type Voice } from '../support/people.ts';
import { ledgerOf, startHeld, testEngine, type Engine } from '../support/temporal.ts';

const doors = ['token', 'update', 'signal'] as const;
type Door = (typeof doors)[number];
const pairs = doors.flatMap((one, at) => doors.slice(at).map((other) => [one, other] as const));
const rounds = 204;

let engine: Engine;
const voices = new Map<string, Voice>();
beforeAll(async () => {
  engine = await testEngine();
  for (const person of ['maria.lindqvist', 'supervisor']) voices.set(person, (await voiceOf(engine, person)).say);
});
afterAll(() => engine.close());

type Said = { readonly by: string; readonly verdict: 'approve' | 'reject'; readonly door: Door };
/** Null where a door gives no answer: what became of it is read from the records. */
type Heard = { readonly accepted: boolean; readonly tells: string } | null;

async function speak(episodeId: string, { opKey, digest }: Decision, { by, verdict, door }: Said): Promise<Heard> {
  const decision: Decision = { opKey, digest, verdict, by, comment: '' };
  if (door === 'signal') return engine.client.workflow.getHandle(episodeId).signal('decision', decision).then(() => null, () => null);
  const answer = await (door === 'token' ? (voices.get(by) as Voice)(episodeId, decision, { kind: verdict }) : update(engine, episodeId, decision));
  return { accepted: answer.result === 'accepted', tells: answer.result === 'accepted' ? '' : `${answer.reason}: ${answer.message}` };
}

async function oneRound(round: number): Promise<'first' | 'second'> {
  const [one, other] = pairs[round % pairs.length] as readonly [Door, Door];
  const id = `at-once-${String(round)}`;
  const { handle, decision } = await startHeld(engine, id);
  const said: [Said, Said] = [{ by: 'maria.lindqvist', verdict: 'approve', door: one }, { by: 'supervisor', verdict: round % 4 < 2 ? 'reject' : 'approve', door: other }];
  const started = round % 2 === 0 ? said : [...said].reverse();
  const answers = new Map<Said, Heard>();
  await Promise.all(started.map(async (what) => answers.set(what, await speak(id, decision, what))));
  const outcome = await handle.result();

  const stands = await requestOf(engine.database.pool, decision.opKey);
  const winner = said.find((what) => what.by === stands?.decidedBy) as Said;
  const loser = said.find((what) => what !== winner) as Said;
  expect(stands).toMatchObject({ verdict: winner.verdict, via: winner.door === 'token' ? 'cli' : winner.door, decisionIds: winner.door === 'token' ? [expect.any(Number)] : null });
  expect([answers.get(winner)?.accepted ?? true, answers.get(loser)?.accepted ?? false], id).toEqual([true, false]);
  const tells = answers.get(loser)?.tells;
  // Where the episode was over before the second came to it, nothing is left that could name anybody but the record, which does.
  if (tells !== undefined && !/^(already_closed|ended)/.test(tells)) expect(tells).toMatch(new RegExp(`^already_decided: .*${winner.verdict} by ${winner.by}`));
  expect(outcome.class).toBe(winner.verdict === 'approve' ? 'committed' : 'not_approved');
  expect(await ledgerOf(engine, id)).toEqual(winner.verdict === 'approve' ? { committed: 1 } : { closed: 1 });
  const heard = await decisionsOf(engine.database.pool, decision);
  expect(heard.filter((row) => row.refused === null).map((row) => row.person)).toEqual(winner.door === 'token' ? [winner.by] : []);
  return winner === said[0] ? 'first' : 'second';
}

test(`of two decisions at once one is accepted and one refused, ${String(rounds)} times through every pair of doors`, async () => {
  const winners: string[] = [];
  for (let round = 0; round < rounds; round += 6) winners.push(...(await Promise.all(Array.from({ length: 6 }, (_, at) => oneRound(round + at)))));
  expect(winners).toHaveLength(rounds);
  expect(new Set(winners).size).toBe(2); // a race that one side always wins is none
}, 600_000);
