/** Trouble: randomness bound to timing. What an episode is shown, what races it and what strikes it follow from its plan alone, whatever runs beside it and in whichever order it was started. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { plannedEpisodes } from '../../activities/plan-batch.ts';
import { startBatch, startEpisode } from '../../cli/runtime/client.ts';
import { BatchInput } from '../../contract/batch-input.ts';
import { digestOf, type Json } from '../../contract/digest.ts';
import { designCells, designs } from '../../scenarios/design.ts';
import { testEngine, type Engine } from '../support/temporal.ts';

let engine: Engine;
beforeAll(async () => { engine = await testEngine(); });
afterAll(async () => { await engine.close(); });

/** 40 episodes: the pilot's templates, both twins, five conditions, one of them with the live fault that cuts the line. */
const input = BatchInput.parse({ design: 'pilot', conditions: ['clean', 'stale-read', 'delayed-visibility', 'timeout-after-commit', 'concurrent-mutation'], models: ['always-act'], guards: [{ kind: 'predicate' }] });
const plannedOf = (batchId: string): ReturnType<typeof plannedEpisodes> => plannedEpisodes(batchId, input, (name) => designCells(designs[name]));

/**
 * By episode, without the batch's name: what happened in its world by others' hands (what they changed, not when: whether a live race hits the commit is the race's own affair; keys that the database generates are left out),
 * what its proposer was shown and answered, and which faults struck, those of the race apart.
 */
async function digests(batchId: string): Promise<Map<string, string>> {
  const { rows } = await engine.database.owner.query<{ id: string; inputs: Json; others: Json; faults: Json }>(
    `select substr(e.episode_id, length($1) + 1) as id, e.faults - 'concurrent-mutation' as faults,
       (select jsonb_agg(s #- '{observation,worldId}' #- '{answer,attempts}') from jsonb_array_elements(e.steps) s) as inputs,
       (select jsonb_agg(jsonb_build_array(h.table_name, case when h.key !~ '^[0-9]+$' then h.key end, h.actor, h.reason,
            (select jsonb_object_agg(n.key, n.value) from jsonb_each(h.new_row) n where n.value is distinct from h.old_row -> n.key and n.key not in ('world_id', 'version') and n.key not like '%\\_id'))
          order by h.actor, h.table_name, length(h.key), h.key, h.reason)
        from holdpoint.row_history h where h.world_id = e.world_id and h.op_key is distinct from e.episode_id || ':1') as others
     from holdpoint.episodes e where e.batch_id = $1 order by 1`, [batchId]);
  return new Map(rows.map(({ id, inputs, others, faults }) => [id, `${digestOf(inputs)} ${digestOf(others)} ${digestOf(faults)}`]));
}

async function ranAsBatch(batchId: string, window: number): Promise<Map<string, string>> {
  const handle = await startBatch(engine.client, { batchId, input: { ...input, window } }, engine.start);
  expect(await handle.result()).toMatchObject({ planned: 40, done: 40, failed: 0, skipped: 0 });
  return digests(batchId);
}

test('40 episodes have the same inputs, races and faults one at a time, eight at once, and started in reverse', async () => {
  expect(plannedOf('x')).toHaveLength(40);
  const [alone, together] = [await ranAsBatch('alone', 1), await ranAsBatch('together', 8)];
  const { approval, windowMs, replans, faults, score } = input;
  const handles = [];
  for (const { episodeId, caseId, model, seed, guard } of plannedOf('reversed').reverse())
    handles.push(await startEpisode(engine.client, { episodeId, input: { batchId: 'reversed', caseId, model, seed, guard, approval, windowMs, replans, faults, score } }, engine.start));
  await Promise.all(handles.map((handle) => handle.result()));
  const reversed = await digests('reversed');
  expect(alone.size).toBe(40);
  expect([...together]).toEqual([...alone]);
  expect([...reversed]).toEqual([...alone]);
  expect(new Set(alone.values()).size).toBeGreaterThan(20); // different cases do differ
}, 300_000);
