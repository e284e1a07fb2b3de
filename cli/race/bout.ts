/** One bout: a fresh proposal, its approval, the commit and the strike against it at the same time, and the settling of a lost line. */
import { canonicalText } from '../../contract/digest.ts';
import type { GuardKind } from '../../contract/guard.ts';
import type { Observation } from '../../contract/observation.ts';
import { proposalDigest, type Proposal } from '../../contract/proposal.ts';
import { insertRequest } from '../../database/approvals.ts';
import { closeOpKey, commitProposal, isUnknown, type CommitRequest } from '../../database/commit/commit.ts';
import type { Pool } from '../../database/pool.ts';
import { inTransaction } from '../../database/transaction.ts';
import { changeIn, observeWorld } from '../../database/worlds.ts';
import { toolContract } from '../../guards/tools/index.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import type { Cut } from './cut-proxy.ts';
import type { Strike } from './families.ts';
import type { Bout, WorldPlan } from './plan.ts';

/** What a bout runs on. `cutting` leads through proxies that cut every COMMIT in their one way. */
export type Ring = {
  readonly guard: GuardKind;
  readonly committers: Pool;
  readonly strikers: Pool;
  readonly cutting: Readonly<Record<Cut, Pool>>;
  /** Ends a wait when the race is over. */
  readonly signal: AbortSignal;
  /** Called for every rerun of a commit after a deadlock or serialisation failure. */
  onRerun(): void;
};

/** How a bout ended, as its driver was told. The checker has the last word. */
export type BoutEnd = {
  readonly opKey: string;
  readonly bout: Bout;
  /** `closed`: the line was lost, and the key was closed before the commit could land. */
  readonly outcome: 'committed' | 'replayed' | 'rejected' | 'closed';
  /** Whether the outcome was unknown for a while. */
  readonly wasUnknown: boolean;
};

/** The op key under which the duplicate of a bout's commit arrives. */
export const callbackKey = (opKey: string): string => `${opKey}#callback`;

const pauseMs = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Runs one bout to its settled end. @throws Error where something happens that the race does not plan for */
export async function runBout(ring: Ring, world: WorldPlan & { readonly worldId: string }, bout: Bout): Promise<BoutEnd> {
  const opKey = `race:${ring.guard}:${String(world.index)}:${String(bout.target)}`;
  const proposal = await propose(ring, world, bout);
  const request = await ask(ring, world.worldId, { opKey, proposal });
  const callback = bout.family === 'duplicate' ? await ask(ring, world.worldId, { opKey: callbackKey(opKey), proposal }) : null;
  const at = { worldId: world.worldId, opKey, bout };
  const strike = bout.family === 'duplicate' ? null : world.arena.strikeOf(bout.family, bout.target);
  const struck = pauseMs(bout.strikeAfterMs).then(async () => {
    if (strike !== null) await apply(ring, at, strike.away);
    else if (callback !== null) await commitProposal(ring.strikers, callback, { onRerun: () => { ring.onRerun(); } });
  });
  const committed = pauseMs(bout.commitAfterMs).then(async () => {
    if (bout.commitWhenStruck) await struck;
    return commit(ring, request, bout);
  });
  const undone = Promise.all([struck, bout.backAtOnce ? null : committed]).then(async () => {
    if (strike !== null) await apply(ring, at, strike.back);
  });
  const [end] = await Promise.all([committed, undone]);
  return { opKey, bout, ...end };
}

/**
 * Reads until the policy is not withdrawn by a neighbour's strike: an agent that sees a withdrawn policy proposes nothing. The version and epoch guards
 * rely on that, for they only say that nothing has changed since the read.
 */
async function propose(ring: Ring, world: WorldPlan & { readonly worldId: string }, bout: Bout): Promise<Proposal> {
  const contract = toolContract(world.arena.tool) as ToolContract;
  const given = world.arena.argumentsOf(bout.target);
  const read = (): Promise<Observation> => observeWorld(ring.committers, { worldId: world.worldId, contract, keys: given, telemetry: { ageMs: 0, previousStatus: 'ok' } });
  let seen = await read();
  while (seen.rows['policy']?.['allowed'] !== true) {
    ring.signal.throwIfAborted();
    await pauseMs(2);
    seen = await read();
  }
  return {
    tool: contract.tool, arguments: given, readSet: seen.readSet, epoch: seen.epoch, allowedStates: [...contract.allowedStates], proposer: 'agent:race', windowMs: 3_600_000,
  };
}

async function ask(ring: Ring, worldId: string, { opKey, proposal }: { opKey: string; proposal: Proposal }): Promise<CommitRequest> {
  const digest = proposalDigest(proposal);
  await insertRequest(ring.committers, { opKey, worldId, episodeId: opKey, digest, proposalText: canonicalText(proposal), proposal });
  const decision = { verdict: 'approve', by: 'auto', via: 'auto', comment: '' } as const;
  return { worldId, opKey, proposal, digest, guard: { kind: ring.guard, without: [] }, attempt: 1, decision };
}

/** The strike as another service would do it. The history keeps the family as the actor and the bout's op key as the reason, for the counting. */
async function apply(ring: Ring, at: { worldId: string; opKey: string; bout: Bout }, changes: Strike['away']): Promise<void> {
  await inTransaction(ring.strikers, async (client) => {
    await changeIn(client, at.worldId, { actor: `race:${at.bout.family}`, reason: at.opKey, changes });
    await pauseMs(at.bout.openMs);
  });
}

async function commit(ring: Ring, request: CommitRequest, bout: Bout): Promise<Pick<BoutEnd, 'outcome' | 'wasUnknown'>> {
  const options = { onRerun: (): void => { ring.onRerun(); } };
  try {
    const { outcome } = await commitProposal(bout.cut === null ? ring.committers : ring.cutting[bout.cut.at], request, options);
    if (outcome === 'unknown' || bout.cut !== null) throw new Error(`${request.opKey}: the line was to be cut, yet the commit was answered with ${outcome}.`);
    return { outcome, wasUnknown: false };
  } catch (error) {
    if (!isUnknown(error)) throw error;
    return { outcome: await settle(ring, request, bout), wasUnknown: true };
  }
}

/** By asking again with the same op key, or by closing it; a closed key is tried once more, as a straggler would, and must stay without effect. */
async function settle(ring: Ring, request: CommitRequest, bout: Bout): Promise<BoutEnd['outcome']> {
  const again = (attempt: number): ReturnType<typeof commitProposal> => commitProposal(ring.committers, { ...request, attempt }, { onRerun: () => { ring.onRerun(); } });
  await pauseMs(bout.cut?.settleAfterMs ?? 0);
  if (bout.cut?.settleBy !== 'closing') {
    const { outcome } = await again(2);
    if (outcome === 'unknown') throw new Error(`${request.opKey} is unknown without a cut.`);
    return outcome;
  }
  const settled = await closeOpKey(ring.committers, { worldId: request.worldId, opKey: request.opKey, tool: request.proposal.tool, reason: 'cancelled', by: 'race' });
  if (settled.state === 'committed') return 'replayed';
  const late = await again(3);
  if (late.outcome !== 'rejected' || late.reason !== 'op_key_closed') throw new Error(`${request.opKey} was closed, yet a later commit was ${late.outcome}.`);
  return 'closed';
}
