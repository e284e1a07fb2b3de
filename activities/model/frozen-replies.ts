/** Frozen replies: a question is asked once, whatever runs, workers and retries there are, and every later one gets the same answer from the table. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalText, digestOf, type Json } from '../../contract/digest.ts';
import type { Pool } from '../../database/pool.ts';
import type { ModelIdentity, Question, TimedReply } from './model-request.ts';
import { fromStored, toStored } from './stored-text.ts';

/** What freezing takes. `heartbeat` is called at least every second while waiting or asking; it must not throw. */
export type FrozenDeps = { readonly pool: Pool; readonly signal: AbortSignal; readonly heartbeat: () => void; readonly leaseMs?: number };

/** A frozen reply. `asked`: this call asked the model; else the reply was there already or another asker brought it. */
export type FrozenReply = TimedReply & { readonly replyDigest: string; readonly asked: boolean };

/** Asks the model, and says which one answered. The signal is also aborted when the lease is lost. */
export type Asker = (signal: AbortSignal) => Promise<TimedReply & ModelIdentity>;

/** How long an asker that died blocks the others, in milliseconds: a living one renews its lease three times in that time. */
const defaultLeaseMs = 15_000;
const pollMs = 200;

/**
 * The key of a reply: SHA-256 of the canonical form (RFC 8785) of everything that decides it: the model's digest (weights, template and parameters), messages,
 * schema and options, the seed among them. The model's name is not in it.
 */
export function replyDigestOf(modelDigest: string, question: Question): string {
  const { messages, format, options } = question;
  return digestOf({ modelDigest, messages, format, options });
}

/**
 * The reply to a question: from the table, or asked under a lease and then stored. A failed request stores nothing and gives the lease back.
 * @throws what `ask` throws; the signal's reason where it was aborted
 */
export async function frozenReply(deps: FrozenDeps, key: { modelDigest: string; question: Question }, ask: Asker): Promise<FrozenReply> {
  const replyDigest = replyDigestOf(key.modelDigest, key.question);
  const holder = randomUUID();
  for (;;) {
    deps.signal.throwIfAborted();
    deps.heartbeat();
    const found = await findReply(deps.pool, replyDigest);
    if (found !== null) return { ...found, replyDigest, asked: false };
    if (await takeLease(deps, replyDigest, holder)) {
      const reply = await askUnderLease(deps, { ...key, replyDigest, holder }, ask);
      if (reply !== null) return reply;
    } else {
      await sleep(pollMs, undefined, { signal: deps.signal }).catch(() => undefined);
    }
  }
}

type Claim = { readonly modelDigest: string; readonly question: Question; readonly replyDigest: string; readonly holder: string };

/** Null where the lease was lost on the way: whoever took it over asks, and this one waits again. */
async function askUnderLease(deps: FrozenDeps, claim: Claim, ask: Asker): Promise<FrozenReply | null> {
  const lost = new AbortController();
  const stopRenewing = renewLease(deps, claim, lost);
  try {
    // The last holder may have stored its reply between our look and our lease.
    const found = await findReply(deps.pool, claim.replyDigest);
    if (found !== null) return { ...found, replyDigest: claim.replyDigest, asked: false };
    const reply = await ask(AbortSignal.any([deps.signal, lost.signal]));
    await storeReply(deps.pool, claim, reply);
    const stored = await findReply(deps.pool, claim.replyDigest);
    if (stored === null) throw new Error('A stored reply is not there.');
    return { ...stored, replyDigest: claim.replyDigest, asked: true };
  } catch (error) {
    if (lost.signal.aborted && !deps.signal.aborted) return null;
    throw error;
  } finally {
    stopRenewing();
    await deps.pool.query('delete from holdpoint.reply_leases where reply_digest = $1 and holder = $2', [claim.replyDigest, claim.holder]).catch(() => undefined); // it runs out by itself
  }
}

async function takeLease(deps: FrozenDeps, replyDigest: string, holder: string): Promise<boolean> {
  const { rowCount } = await deps.pool.query(
    `insert into holdpoint.reply_leases as l (reply_digest, holder, until) values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
     on conflict (reply_digest) do update set holder = excluded.holder, until = excluded.until where l.until < clock_timestamp()`,
    [replyDigest, holder, deps.leaseMs ?? defaultLeaseMs],
  );
  return rowCount === 1;
}

/** Renews the lease and beats until stopped. A renewal that finds another holder aborts `lost`; one that fails is tried again. */
function renewLease(deps: FrozenDeps, claim: Claim, lost: AbortController): () => void {
  const leaseMs = deps.leaseMs ?? defaultLeaseMs;
  const renew = async (): Promise<void> => {
    const { rowCount } = await deps.pool.query(`update holdpoint.reply_leases set until = clock_timestamp() + $3 * interval '1 millisecond' where reply_digest = $1 and holder = $2`, [
      claim.replyDigest, claim.holder, leaseMs,
    ]);
    if (rowCount === 0) lost.abort(new Error('The lease on this question was lost.'));
  };
  const renewing = setInterval(() => { renew().catch(() => undefined); }, leaseMs / 3);
  const beating = setInterval(deps.heartbeat, 1_000);
  return () => {
    clearInterval(renewing);
    clearInterval(beating);
  };
}

async function storeReply(pool: Pool, claim: Claim, reply: TimedReply & ModelIdentity): Promise<void> {
  const { question } = claim;
  await pool.query(
    `insert into holdpoint.replies (reply_digest, model, model_digest, server_version, prompt, options, raw, thinking, done_reason, timing)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [
      claim.replyDigest, question.model, claim.modelDigest, reply.serverVersion, canonicalText(question.messages as unknown as Json),
      JSON.stringify({ ...question.options, format: question.format }), toStored(reply.content), toStored(reply.thinking), toStored(reply.doneReason), JSON.stringify(reply.timing),
    ],
  );
}

async function findReply(pool: Pool, replyDigest: string): Promise<TimedReply | null> {
  const { rows } = await pool.query<{ raw: string; thinking: string; done_reason: string; timing: TimedReply['timing'] }>(
    'select raw, thinking, done_reason, timing from holdpoint.replies where reply_digest = $1',
    [replyDigest],
  );
  const row = rows[0];
  return row === undefined ? null : { content: fromStored(row.raw), thinking: fromStored(row.thinking), doneReason: fromStored(row.done_reason), timing: row.timing };
}
