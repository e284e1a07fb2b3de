/** Records the leaks of docs/leaks from real servers. Not part of a test run: `HOLDPOINT_RECORD=leaks npx vitest run test/replay/record-leaks.test.ts`. */
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caseId } from '../../contract/case.ts';
import { changeWorld } from '../../database/worlds.ts';
import { planOf } from '../../scenarios/plan.ts';
import { anonymous } from '../../cli/histories/anonymous.ts';
import { leaks } from '../support/leaks.ts';
import { voiceOf } from '../support/people.ts';
import { episodeRow, startHeld, testEngine, type Engine } from '../support/temporal.ts';

describe.runIf(process.env['HOLDPOINT_RECORD'] === 'leaks')('recording', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await testEngine();
  });
  afterAll(() => engine.close());

  test.each(leaks)('$name', async ({ name, input, truth, race }) => {
    const { handle, decision } = await startHeld(engine, name, input);
    if (race) for (const step of planOf(caseId(truth)).race) await changeWorld(engine.database.pool, (await episodeRow(engine, name)).worldId, step);
    await (await voiceOf(engine, 'maria.lindqvist')).say(name, decision, { kind: 'approve' });
    expect(await handle.result()).toMatchObject({ class: 'committed' });
    await writeFile(new URL(`../../docs/leaks/${name}.json`, import.meta.url), `${anonymous(historyToJSON(await handle.fetchHistory()))}\n`);
  });
});
