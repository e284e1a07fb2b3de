/** Says one thing about a request in the name of a token: heard by the database, brought to the episode, and told back in one answer. The one way for command and page. */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Decision } from '../contract/approval.ts';
import { failures, type Reason } from '../contract/failures.ts';
import { requestOf } from '../database/approvals.ts';
import { hear, notTaken, type Heard, type Said } from '../database/decisions.ts';
import { isConnectionLoss, sqlStateOf } from '../database/errors.ts';
import type { Queryable } from '../database/pool.ts';
import { tokenHash } from '../database/tokens.ts';
import { checked, type Speech } from './checked.ts';
import { deliver } from './deliver.ts';
import { recordedDecision, type Recorded } from './recorded.ts';
import { acceptedSentence, unknownToken } from './sentences.ts';

export type { Speech } from './checked.ts';

/** Where it is said. `db` has the worker's rights. `timeoutMs`: how long to wait for the episode; default 10,000. */
export type Door = { readonly client: Client; readonly db: Queryable; readonly via: Said['via']; readonly timeoutMs?: number };

/**
 * What became of it. `unknown`: somebody did not answer in time; the same said again finishes what was begun and decides nothing twice. `recorded` is what stands,
 * as far as it is known and as far as the asker may know. `message` may hold other people's text.
 */
export type Answer = {
  readonly result: 'accepted' | 'refused' | 'unknown';
  readonly reason: Reason | null;
  readonly message: string;
  readonly recorded: Recorded | null;
  /** Under which it is kept, refusals too; null where it is not known to be kept. */
  readonly decisionId: number | null;
  /** How many people approved and how many must; null where that was not told. */
  readonly approvals: number | null;
  readonly needed: number | null;
};

type NotLetIn = Extract<Heard, { refused: unknown }>;
type LetIn = Exclude<Heard, NotLetIn>;
const blank = { reason: null, recorded: null, decisionId: null, approvals: null, needed: null };

/** Says it. A refusal is an answer, never an error, and is kept by the database. Throws only where something is broken. */
export function say(door: Door, token: string, speech: Speech): Promise<Answer> {
  return sayAs(door, tokenHash(token), speech);
}

/** The same for whoever keeps only the token's SHA-256, as the page's sessions do. */
export async function sayAs(door: Door, hash: string, speech: Speech): Promise<Answer> {
  try {
    const { said, problem } = await checked(door.db, hash, { ...speech, via: door.via });
    const heard = await hear(door.db, hash, said);
    return 'refused' in heard ? await refusal(door.db, heard, { opKey: said.opKey, problem }) : await bring(door, heard, said);
  } catch (error) {
    const isLate = isConnectionLoss(error) || ['55P03', '57014', '40001', '40P01'].includes(sqlStateOf(error) ?? '');
    if (!isLate) throw error;
    return { ...blank, result: 'unknown', message: 'The database did not answer in time: say the same again to see what was kept.' };
  }
}

/** A stranger hears the reason and nothing of what stands. */
async function refusal(db: Queryable, heard: NotLetIn, { opKey, problem }: { readonly opKey: string; readonly problem: string | null }): Promise<Answer> {
  const { refused, decisionId, verdict, by } = heard;
  const at = verdict === null ? null : ((await requestOf(db, opKey))?.decidedAt ?? null);
  const { sentence } = failures[refused];
  const message = refused === 'not_authenticated' ? unknownToken : refused === 'malformed_decision' && problem !== null ? `${sentence} ${problem}` : sentence;
  return { ...blank, result: 'refused', reason: refused, message, recorded: verdict === null ? null : { verdict, by: by ?? '', at }, decisionId };
}

async function bring(door: Door, heard: LetIn, said: Said): Promise<Answer> {
  const { decisionId, person, episodeId, approvals, needed } = heard;
  const { opKey, digest, kind, comment, to } = said;
  const accepted = (counted: { approvals: number; needed: number }, recorded: Recorded | null = null): Answer =>
    ({ ...blank, ...counted, result: 'accepted', message: acceptedSentence(said, person, counted), recorded, decisionId });
  if (kind === 'comment') return accepted({ approvals, needed });
  const decision: Decision = { opKey, digest, verdict: kind, by: person, comment, decisionId, ...(to !== undefined && { to }) };
  const delivery = await deliver(door.client, episodeId, { decision, updateId: randomUUID(), timeoutMs: door.timeoutMs ?? 10_000 });
  if ('accepted' in delivery) {
    const counted = { approvals: delivery.accepted.approvals ?? approvals, needed: delivery.accepted.needed ?? needed };
    const isFinal = kind !== 'escalate' && (kind !== 'approve' || counted.approvals >= counted.needed);
    return accepted(counted, isFinal ? { verdict: kind, by: person, at: null } : null);
  }
  if ('unknown' in delivery) return { ...blank, result: 'unknown', message: `Let in for ${person} and kept, but the episode has not answered yet: say the same again to finish it.`, decisionId, approvals, needed };
  await notTaken(door.db, decisionId, delivery.refused);
  // What stands by this very decision was delivered before, and only the answer was lost.
  const stands = await requestOf(door.db, opKey);
  if (stands?.decisionIds?.includes(decisionId) === true) return accepted({ approvals: Math.max(approvals, needed), needed }, { verdict: stands.verdict ?? kind, by: stands.decidedBy ?? person, at: stands.decidedAt });
  return { ...blank, result: 'refused', reason: delivery.refused, message: delivery.message, recorded: await recordedDecision(door, episodeId, opKey), decisionId };
}
