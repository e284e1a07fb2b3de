/** Replays one decision up to where something goes back to its proposer, asks again, and commits the new proposal unguarded: each kind in a world of its own. */
import { findingsOn } from '../../../activities/evidence.ts';
import type { Notice } from '../../../activities/model/prompt.ts';
import { observe } from '../../../activities/open-episode.ts';
import type { Reason } from '../../../contract/failures.ts';
import type { FrozenProposal } from '../../../contract/frozen-proposal.ts';
import type { Guard } from '../../../contract/guard.ts';
import type { Observation } from '../../../contract/observation.ts';
import type { CommitOutcome } from '../../../contract/outcome.ts';
import { freezeProposal, proposalDigest, type Arguments } from '../../../contract/proposal.ts';
import { ReplanKind } from '../../../contract/replanned.ts';
import { commitProposal } from '../../../database/commit/commit.ts';
import { insertRequests } from '../../../database/frozen/requests.ts';
import { changeWorlds, seedWorlds } from '../../../database/frozen/worlds.ts';
import type { Pool } from '../../../database/pool.ts';
import { toolContract } from '../../../guards/tools/index.ts';
import { planOf } from '../../../scenarios/plan.ts';
import type { EpisodePlan } from '../../../scenarios/scenario.ts';
import type { ReplanAnswer, Replanner } from './replanner.ts';

/** A replan after it was done. `blockedBy`: why nothing was committed, or null. */
export type DoneReplan = {
  readonly kind: ReplanKind; readonly worldId: string; readonly episodeId: string; readonly guardFired: boolean; readonly told: readonly Reason[];
  readonly answer: ReplanAnswer; readonly blockedBy: string | null;
};

/** Where it is replayed, and who is asked. */
export type ReplanPlace = { readonly pool: Pool; readonly replanner: Replanner };

type World = { readonly worldId: string; readonly episodeId: string };
type Call = { readonly tool: string; readonly arguments: Arguments };

/** Replays the decision. `key` is unique to it in this database. @returns a replan of each kind of evidence, and of the block where the version guard fires */
export async function replanDecision(place: ReplanPlace, first: FrozenProposal, key: string): Promise<{ readonly plan: EpisodePlan; readonly done: readonly DoneReplan[] }> {
  const { pool } = place;
  const plan = planOf(first.caseId);
  const worldIds = await seedWorlds(pool, { label: plan.caseId, rows: plan.seed }, ReplanKind.options.length);
  const worlds = Object.fromEntries(ReplanKind.options.map((kind, index) => [kind, { worldId: worldIds[index] ?? '', episodeId: `${key}/${kind}` }])) as Record<ReplanKind, World>;
  // Evidence is about what was proposed; where nothing was, about what the request asks for.
  const call: Call = first.answer === 'act' ? first : plan;
  const look = (kind: ReplanKind): Promise<Reason[]> => findingsOn(pool, worlds[kind].worldId, { tool: call.tool, args: call.arguments });

  const early = plan.fastSees === 'seed' ? await look('fastEvidence') : null;
  for (const step of plan.before) await changeWorlds(pool, worldIds, step);
  const seen = await observe(pool, plan, { worldId: worlds.guardBlock.worldId, sight: 'first' });
  for (const step of plan.race) await changeWorlds(pool, worldIds, step);
  const [fast, strong, block] = [early ?? (await look('fastEvidence')), await look('strongEvidence'), await versionGuard(place, worlds.guardBlock, { plan, seen })];

  // No guard has let anything through in the worlds of evidence, so they show what was there when the notices were made.
  const again = await observe(pool, plan, { worldId: worlds.fastEvidence.worldId, sight: 'again' });
  const truth = await observe(pool, plan, { worldId: worlds.strongEvidence.worldId, sight: 'true' });
  const notices: readonly (readonly [ReplanKind, Notice])[] = [
    ['fastEvidence', { kind: 'evidence', evidence: 'fast', findings: fast, found: JSON.stringify(again.rows) }],
    ['strongEvidence', { kind: 'evidence', evidence: 'strong', findings: strong, found: JSON.stringify(truth.rows) }],
    ...(block === null ? [] : [['guardBlock', { kind: 'blocked', ...block }] as const]),
  ];
  const done: DoneReplan[] = [];
  for (const [kind, notice] of notices) {
    const answer = await place.replanner.replan({ first, plan, observation: again, notice });
    const blockedBy = answer.answer === 'act' ? reasonOf(await commit(place, worlds[kind], { call: answer, seen: again, proposer: first.proposer, guard: { kind: 'none', without: [] } })) : 'no_proposal';
    done.push({ kind, ...worlds[kind], guardFired: block !== null, told: notice.kind === 'evidence' ? notice.findings : [notice.reason], answer, blockedBy });
  }
  return { plan, done };
}

/**
 * Asks the real version guard, by committing the template's mutation on the first read: it compares nothing but the read set, so it fires on the same decisions
 * whatever was proposed, and also where nothing was. The attempt is of another episode, so that the judge does not count it for the replan.
 * @returns its refusal, or null where the read set is as it was
 */
async function versionGuard(place: ReplanPlace, { worldId, episodeId }: World, { plan, seen }: { plan: EpisodePlan; seen: Observation }): Promise<{ readonly reason: Reason; readonly found: string } | null> {
  const outcome = await commit(place, { worldId, episodeId: `${episodeId}/blocked` }, { call: plan, seen, proposer: 'version-guard', guard: { kind: 'version', without: [] } });
  if (outcome.outcome !== 'rejected') return null;
  if (outcome.reason !== 'read_set_stale') throw new Error(`The version guard refused ${plan.caseId} by ${outcome.reason}.`);
  return { reason: outcome.reason, found: outcome.found };
}

/** Freezes a call with the read that it rests on, asks for approval and commits it. */
async function commit({ pool }: ReplanPlace, { worldId, episodeId }: World, act: { call: Call; seen: Observation; proposer: string; guard: Guard }): Promise<CommitOutcome> {
  const { call, seen, proposer, guard } = act;
  const proposal = freezeProposal({
    tool: call.tool, arguments: call.arguments, readSet: seen.readSet.map((row) => ({ ...row })), epoch: seen.epoch,
    allowedStates: [...(toolContract(call.tool)?.allowedStates ?? [])], proposer: `agent:${proposer}`, windowMs: 900_000,
  });
  await insertRequests(pool, [{ worldId, episodeId, opKey: episodeId }], proposal);
  return commitProposal(pool, { worldId, opKey: episodeId, proposal, digest: proposalDigest(proposal), guard, attempt: 1, decision: { verdict: 'approve', by: 'auto', via: 'auto', comment: '' } });
}

function reasonOf(outcome: CommitOutcome): Reason | null {
  if (outcome.outcome === 'committed') return null;
  if (outcome.outcome === 'rejected') return outcome.reason;
  throw new Error(`A commit came out as ${outcome.outcome}: something else uses this database.`);
}
