/** Acts one case out without workflow and model: the world, what happens to it, an approval, and the commit of what the template would propose. */
import { planOf } from '../../scenarios/plan.ts';
import type { EpisodePlan } from '../../scenarios/scenario.ts';
import { canonicalText } from '../../contract/digest.ts';
import type { Guard } from '../../contract/guard.ts';
import type { CommitOutcome } from '../../contract/outcome.ts';
import { proposalDigest, type Proposal } from '../../contract/proposal.ts';
import { insertRequest, recordDecision } from '../../database/approvals.ts';
import { commitProposal, type CommitRequest } from '../../database/commit/commit.ts';
import type { Pool } from '../../database/pool.ts';
import { changeWorld, epochOf, observeWorld, seedWorld } from '../../database/worlds.ts';
import { toolContract } from '../../guards/tools/index.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';

/** What a test gets to work with. */
export type Acted = { readonly worldId: string; readonly episodeId: string; readonly plan: EpisodePlan; readonly request: CommitRequest };

let episodes = 0;

/** Seeds the case's world, lets happen what happens before and during the race, and has the proposal approved. Nothing is committed yet. */
export async function setUpCase(pool: Pool, caseId: string, guard: Guard): Promise<Acted> {
  const plan = planOf(caseId);
  const contract = toolContract(plan.tool) as ToolContract;
  const worldId = await seedWorld(pool, caseId, plan.seed);
  for (const step of plan.before) await changeWorld(pool, worldId, step);
  const asOfEpoch = plan.observe === 'seed' ? '1' : await epochOf(pool, worldId);
  const seen = await observeWorld(pool, { worldId, contract, keys: plan.keys, telemetry: plan.telemetry, asOfEpoch });
  for (const step of plan.race) await changeWorld(pool, worldId, step);
  const proposal: Proposal = {
    tool: plan.tool, arguments: plan.arguments, readSet: seen.readSet, epoch: seen.epoch, allowedStates: [...contract.allowedStates], proposer: 'agent:test', windowMs: 3_600_000,
  };
  const episodeId = `episode-${String((episodes += 1))}-${worldId}`;
  return { worldId, episodeId, plan, request: await requestApproval(pool, { worldId, episodeId, step: 1, proposal, guard }) };
}

/** Puts the request for approval down, approved by `auto`, and returns the commit that it allows. */
export async function requestApproval(pool: Pool, ask: { worldId: string; episodeId: string; step: number; proposal: Proposal; guard: Guard }): Promise<CommitRequest> {
  const { worldId, episodeId, proposal, guard } = ask;
  const opKey = `${episodeId}/${String(ask.step)}`;
  const digest = proposalDigest(proposal);
  await insertRequest(pool, { opKey, worldId, episodeId, digest, proposalText: canonicalText(proposal), proposal });
  await recordDecision(pool, { opKey, digest, verdict: 'approve', by: 'auto', via: 'auto', comment: '' });
  return { worldId, opKey, proposal, digest, guard, attempt: 1 };
}

/** Sets the case up and commits it. */
export async function actCase(pool: Pool, caseId: string, guard: Guard): Promise<Acted & { readonly outcome: CommitOutcome }> {
  const acted = await setUpCase(pool, caseId, guard);
  return { ...acted, outcome: await commitProposal(pool, acted.request) };
}
