/** Lists a batch's episodes page by page: model-major, so that a model is loaded once, and one proposal's guards next to each other, so that its reply is asked once. */
import { BatchInput } from '../contract/batch-input.ts';
import { caseId, type Case } from '../contract/case.ts';
import { guardLabel } from '../contract/names.ts';
import { recordedAmong } from '../database/episodes.ts';
import type { Pool } from '../database/pool.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { parseInput } from './input.ts';
import type { BatchPage, PlannedEpisode } from './types.ts';

/** The whole plan of a batch, in order. @returns one entry an episode */
export function plannedEpisodes(batchId: string, input: BatchInput, designCells: ActivityDependencies['designCells']): PlannedEpisode[] {
  const cases = cellsOf(input, designCells).map(caseId);
  return input.models.flatMap((model) => input.seeds.flatMap((seed) => cases.flatMap((cell) => input.guards.map((guard) => (
    { episodeId: `${batchId}/${cell}/${model}/${String(seed)}/${guardLabel(guard)}`, caseId: cell, model, seed, guard }
  )))));
}

/** One page of the plan, without the episodes that have an outcome already. */
export async function planBatch(
  { pool, designCells }: { pool: Pool; designCells: ActivityDependencies['designCells'] },
  request: { readonly workflowId: string; readonly given: unknown; readonly offset: number },
): Promise<BatchPage> {
  const given = parseInput(BatchInput, request.given);
  const input = { ...given, batchId: given.batchId ?? request.workflowId };
  const all = plannedEpisodes(input.batchId, input, designCells);
  const page = all.slice(request.offset, request.offset + input.pageSize);
  const recorded = await recordedAmong(pool, page.map((episode) => episode.episodeId));
  return { input, total: all.length, recorded: recorded.size, episodes: page.filter((episode) => !recorded.has(episode.episodeId)) };
}

function cellsOf(input: BatchInput, designCells: ActivityDependencies['designCells']): readonly Case[] {
  const base = designCells(input.design);
  const factor = <T>(given: readonly T[] | undefined, pick: (cell: Case) => T): readonly T[] => given ?? [...new Set(base.map(pick))];
  const [templates, instances, conditions] = [factor(input.templates, (c) => c.template), factor(input.instances, (c) => c.instance), factor(input.conditions, (c) => c.condition)];
  return templates.flatMap((template) => instances.flatMap((instance) => conditions.map((condition) => ({ template, instance, condition }))));
}
