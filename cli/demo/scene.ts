/** One run of the trace: the agent reads version 17, the warehouse starts packing, the manager approves what she was shown. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { sinceInWords } from '../../contract/preview.ts';
import type { BoundaryRow } from '../../contract/episode-facts.ts';
import type { GuardKind } from '../../contract/guard.ts';
import type { EpisodeOutcome } from '../../contract/outcome.ts';
import { Proposal } from '../../contract/proposal.ts';
import { requestOf, type ApprovalRow } from '../../database/approvals.ts';
import { boundaryOf } from '../../database/audit.ts';
import { episodeOf } from '../../database/episodes.ts';
import type { Pool } from '../../database/pool.ts';
import { previewProposal } from '../../database/preview.ts';
import type { episode, EpisodeProgress } from '../../workflows/index.ts';
import { boundaryText, foundText } from '../../explain/sentences.ts';
import { printable } from '../output.ts';
import { startEpisode } from '../runtime/client.ts';
import type { Manager } from './manager.ts';
import { caseId, model, newAddress, openAtVersion17, orderId, parcelOf, startPacking, type Parcel } from './world.ts';

/** What a scene plays on. `tell` prints one line; `think` waits as long as people take between two events. */
export type Stage = { readonly client: Client; readonly pool: Pool; readonly queuePrefix: string; readonly manager: Manager; readonly tell: (line: string) => void; readonly think: () => Promise<void>; readonly signal: AbortSignal };

/** How a scene ended. `unsafe`: the judge's finding about what was committed; null where nothing was. */
export type SceneEnd = { readonly guard: GuardKind; readonly episodeId: string; readonly outcome: EpisodeOutcome; readonly boundary: readonly BoundaryRow[]; readonly parcel: Parcel; readonly unsafe: boolean | null };

/** Plays it under a guard, to its end. */
export async function playScene(stage: Stage, guard: GuardKind): Promise<SceneEnd> {
  const { client, pool, tell, think, manager } = stage;
  const episodeId = `demo-${guard}`;
  tell(`A customer asks to deliver order ${orderId} to ${newAddress}.`);
  const worldId = await openAtVersion17(pool, episodeId, guard);
  tell('The agent reads the order: PAID, version 17.');
  await think();
  const handle = await startEpisode(client, { episodeId, input: { caseId, model, guard: { kind: guard }, approval: { mode: 'manual' } } }, stage);
  const first = await waiting(stage, handle, { opKey: `${episodeId}:1`, signal: stage.signal });
  tell(`The agent proposes ${first.tool}; the episode holds for a person until ${first.expiresAt.slice(11, 19)}.`);
  await think();
  await startPacking(pool, worldId);
  tell('The warehouse starts packing: PACKING, version 18. The parcel gets the label that lies there.');
  await look(stage, { worldId, request: first, guard });
  await think();
  await manager(first, { kind: 'approve', comment: 'the customer called' });
  tell('The support manager approves what she was shown at 17.');
  const end = await finished(stage, { episodeId, worldId, guard, handle });
  for (const row of end.boundary.filter((step) => step.lockedAt !== null)) tell(`Step ${String(row.step)}: ${boundaryText(row)}. Under its locks the commit found ${printable(foundText(row), 400)}.`);
  tell(`The episode: ${end.outcome.class}${end.outcome.reason === null ? '' : ` (${end.outcome.reason})`}. The order is ${end.parcel.status}, version ${end.parcel.version}, for ${end.parcel.orderAddress}.`);
  tell(`The parcel's label says ${end.parcel.labelOnParcel ?? 'nothing'}${end.parcel.labelOnParcel === end.parcel.orderAddress ? ', as the order does.' : ': the parcel goes to the OLD address, and the order says the new one.'}`);
  return end;
}

type Running = { readonly episodeId: string; readonly worldId: string; readonly guard: GuardKind; readonly handle: WorkflowHandleWithFirstExecutionRunId<typeof episode> };

/** To the end: a replanned proposal is shown as it would be now, and rejected. */
async function finished(stage: Stage, { episodeId, worldId, guard, handle }: Running): Promise<SceneEnd> {
  const { pool, tell, think, manager } = stage;
  const over = new AbortController();
  const outcome = handle.result().finally(() => { over.abort(); });
  outcome.catch(() => undefined); // awaited below
  const again = await waiting(stage, handle, { opKey: `${episodeId}:2`, signal: AbortSignal.any([stage.signal, over.signal]) }).catch(async (error: unknown) => {
    if (over.signal.aborted && !stage.signal.aborted) return undefined; // it ended with the first step
    await outcome.catch(() => undefined); // a call in flight would outlive its line
    throw error;
  });
  if (again !== undefined) {
    tell('The commit was refused and the episode replanned: it read the order again, proposes anew, and the old approval is worth nothing.');
    await look(stage, { worldId, request: again, guard: 'predicate' });
    await think();
    await manager(again, { kind: 'reject', comment: 'packing has begun: send a second parcel or call the carrier' });
    tell('The support manager sees that, and rejects with a comment.');
  }
  const ended = await outcome;
  const leaked = (await episodeOf(pool, episodeId))?.score as { leaked?: boolean | null } | null | undefined;
  return { guard, episodeId, outcome: ended, boundary: await boundaryOf(pool, episodeId), parcel: await parcelOf(pool, worldId), unsafe: leaked?.leaked ?? null };
}

/** Tells what a person would see who looked now. */
async function look({ pool, tell }: Stage, { worldId, request, guard }: { worldId: string; request: ApprovalRow; guard: GuardKind }): Promise<void> {
  const preview = await previewProposal(pool, worldId, Proposal.parse(JSON.parse(request.proposal)));
  for (const line of sinceInWords(preview, { kind: guard, without: [] })) tell(`    whoever looks now sees: ${line}`);
}

/** The request of a step, once its episode holds for it. @throws the signal's reason */
async function waiting({ pool }: Stage, handle: Running['handle'], { opKey, signal }: { opKey: string; signal: AbortSignal }): Promise<ApprovalRow> {
  for (;;) {
    signal.throwIfAborted();
    const row = await requestOf(pool, opKey);
    if (row !== undefined && (await handle.query<EpisodeProgress>('progress')).request?.opKey === opKey) return row;
    await wait(50, undefined, { signal }).catch(() => undefined);
  }
}
