/** Replays one decision: identical worlds, the same things happening in each, and in each what one controller does, through the commit that live episodes use. */
import type { Guard } from '../../contract/guard.ts';
import { freezeProposal, proposalDigest, type Proposal } from '../../contract/proposal.ts';
import { commitProposal } from '../../database/commit/commit.ts';
import { checkWorlds, isHeld } from '../../database/frozen/check.ts';
import { insertRequests, type RequestPlace } from '../../database/frozen/requests.ts';
import { changeWorlds, seedWorlds } from '../../database/frozen/worlds.ts';
import type { Pool } from '../../database/pool.ts';
import { observeWorld } from '../../database/worlds.ts';
import { argumentProblem, type ToolContract } from '../../guards/tool-contract.ts';
import { toolContract } from '../../guards/tools/index.ts';
import type { Act, ReadyDecision } from './acts.ts';
import type { Clock } from './clock.ts';

/** An act after it was done. `blockedBy`: why nothing was committed, or null. */
export type DoneAct = { readonly act: Act; readonly worldId: string; readonly episodeId: string; readonly blockedBy: string | null };

/** A world's approval is used at once: the window is the usual one. */
const windowMs = 900_000;

/** What a step of the replay works on. */
type Replay = { readonly pool: Pool; readonly clock: Clock; readonly ready: ReadyDecision; readonly worldIds: readonly string[] };

/** Does every act of the decision, each in a world of its own. `key` is unique to the decision in this database. @returns them in their order */
export async function replayDecision({ pool, clock }: { pool: Pool; clock: Clock }, ready: ReadyDecision, key: string): Promise<DoneAct[]> {
  const { plan, acts } = ready;
  const worldIds = await clock.time('seed', seedWorlds(pool, { label: plan.caseId, rows: plan.seed }, acts.length));
  const replay = { pool, clock, ready, worldIds };
  const early = plan.fastSees === 'seed' ? await evidence(replay, (act) => wants(act, 'fast')) : new Map<number, boolean>();
  for (const step of plan.before) await clock.time('change', changeWorlds(pool, worldIds, step));
  const proposal = await freeze(replay);
  for (const step of plan.race) await clock.time('change', changeWorlds(pool, worldIds, step));
  const late = await evidence(replay, (act) => wants(act, 'strong') || (plan.fastSees === 'now' && wants(act, 'fast')));
  return act(replay, proposal, { key, held: new Map([...early, ...late]) });
}

function wants({ action }: Act, evidence: 'fast' | 'strong'): boolean {
  return action.kind === 'verify' && action.evidence === evidence;
}

/** Looks at the worlds of the acts that buy evidence now, all in one statement. @returns by the act's place, whether the predicate holds */
async function evidence({ pool, clock, ready, worldIds }: Replay, buys: (act: Act) => boolean): Promise<Map<number, boolean>> {
  const { proposal } = ready;
  const buyers = [...ready.acts.entries()].filter(([, one]) => buys(one)).map(([place]) => place);
  if (proposal.answer !== 'act' || buyers.length === 0) return new Map();
  const contract = toolContract(proposal.tool);
  // A call that its tool does not take has no predicate that could hold.
  if (contract === undefined || argumentProblem(contract, proposal.arguments) !== null) return new Map(buyers.map((place) => [place, false]));
  const looked = buyers.map((place) => worldIds[place] ?? '');
  const checks = await clock.time('check', checkWorlds(pool, looked, { tool: proposal.tool, args: proposal.arguments }));
  return new Map(buyers.map((place, index) => [place, checks[index] !== undefined && isHeld(checks[index])]));
}

/** What was read in the first world was there to be read in all of them: they are the same, and no world's id is in a proposal. */
async function freeze({ pool, clock, ready, worldIds }: Replay): Promise<Proposal | null> {
  const { plan, proposal } = ready;
  if (proposal.answer !== 'act') return null;
  const contract = toolContract(plan.tool) as ToolContract;
  const read = { worldId: worldIds[0] ?? '', contract, keys: plan.keys, telemetry: plan.telemetry, ...(plan.observe === 'seed' && { asOfEpoch: '1' }) };
  const { readSet, epoch } = await clock.time('observe', observeWorld(pool, read));
  return freezeProposal({ tool: proposal.tool, arguments: proposal.arguments, readSet, epoch, allowedStates: [...contract.allowedStates], proposer: `agent:${proposal.proposer}`, windowMs });
}

/** Requests first, all in one statement; then the commits, each a transaction of its own that also records its decision. */
async function act({ pool, clock, ready, worldIds }: Replay, proposal: Proposal | null, { key, held }: { key: string; held: ReadonlyMap<number, boolean> }): Promise<DoneAct[]> {
  const planned = ready.acts.map((act, place) => {
    const opKey = `${key}/${act.known.telemetry}/${act.known.controller}`;
    return { act, worldId: worldIds[place] ?? '', episodeId: opKey, opKey, step: stepOf(act, held.get(place) ?? false) };
  });
  const committing: RequestPlace[] = planned.filter(({ step }) => typeof step !== 'string');
  if (proposal === null) return planned.map(({ act, worldId, episodeId }) => ({ act, worldId, episodeId, blockedBy: 'no_proposal' }));
  if (committing.length > 0) await clock.time('request', insertRequests(pool, committing, proposal));
  const digest = proposalDigest(proposal);
  return clock.time('commit', Promise.all(planned.map(async ({ act, worldId, episodeId, opKey, step }): Promise<DoneAct> => {
    if (typeof step === 'string') return { act, worldId, episodeId, blockedBy: step };
    const outcome = await commitProposal(pool, { worldId, opKey, proposal, digest, guard: step, attempt: 1, decision: { verdict: 'approve', by: 'auto', via: 'auto', comment: '' } });
    if (outcome.outcome === 'committed') return { act, worldId, episodeId, blockedBy: null };
    if (outcome.outcome === 'rejected') return { act, worldId, episodeId, blockedBy: outcome.reason };
    throw new Error(`The commit ${opKey} came out as ${outcome.outcome}: something else uses this database.`);
  })));
}

/** The guard to commit under, or why there is no commit. */
function stepOf({ action }: Act, isEvidenceGood: boolean): Guard | 'evidence' | 'escalated' {
  switch (action.kind) {
    case 'escalate':
      return 'escalated';
    case 'verify':
      return isEvidenceGood ? { kind: 'none', without: [] } : 'evidence';
    case 'commit':
      return action.guard;
  }
}
