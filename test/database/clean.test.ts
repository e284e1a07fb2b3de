/** Cleaning by age: whole worlds go with everything that hangs on them, nothing of an episode without an end goes, and only the owner may. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { clean, countCleanable } from '../../cli/clean/clean.ts';
import { readAgeMs } from '../../cli/clean.ts';
import { UserError } from '../../cli/output.ts';
import { actCase } from '../support/acted-case.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
const dayMs = 86_400_000;
const options = { temporal: undefined };

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  await database.owner.query('update holdpoint.episodes set outcome = coalesce(outcome, \'{}\'), ended_at = now() - interval \'9 days\'');
  await database.owner.query("update holdpoint.worlds set created_at = now() - interval '9 days'");
  await database.owner.query('delete from holdpoint.replies');
  await clean(database.owner, dayMs, options);
});

/** An episode that acted `ageDays` ago; `isOpen` leaves it without an end. */
async function episode(caseId: string, ageDays: number, isOpen = false): Promise<string> {
  const { worldId, episodeId } = await actCase(database.pool, caseId, { kind: 'none', without: [] });
  await database.owner.query(
    `insert into holdpoint.episodes (episode_id, batch_id, case_id, model, seed, guard, world_id, outcome, started_at, ended_at)
     values ($1, 'batch', $2, 'always-act', 1, 'none', $3, $4, now() - $5 * interval '1 day', case when $4::jsonb is not null then now() - $5 * interval '1 day' end)`,
    [episodeId, caseId, worldId, isOpen ? null : '{"class":"committed"}', ageDays],
  );
  await database.owner.query("update holdpoint.worlds set created_at = now() - $2 * interval '1 day' where world_id = $1", [worldId, ageDays]);
  return worldId;
}

async function reply(ageDays: number): Promise<void> {
  await database.owner.query(
    `insert into holdpoint.replies (reply_digest, model, model_digest, server_version, prompt, options, raw, done_reason, timing, asked_at)
     values (encode(sha256(random()::text::bytea), 'hex'), 'm', 'd', '0', '[]', '{}', '{}', 'stop', '{}', now() - $1 * interval '1 day')`,
    [ageDays],
  );
}

/** Rows of a world in every table that has a world's number. */
async function rowsOf(worldId: string): Promise<Record<string, number>> {
  const { rows } = await database.owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'world_id' and table_type = 'BASE TABLE'`);
  const counted: Record<string, number> = {};
  for (const { name } of rows) {
    const { rows: [row] } = await database.owner.query<{ n: number }>(`select count(*)::int as n from ${name} where world_id = $1`, [worldId]);
    if (row !== undefined && row.n > 0) counted[name] = row.n;
  }
  return counted;
}

test.each(['change-delivery-address/0/clean', 'record-invoice/0/clean', 'grant-role/0/clean', 'roll-back-release/0/clean'])('an old world of %s goes with everything that hangs on it', async (caseId) => {
  const worldId = await episode(caseId, 8);
  expect(Object.keys(await rowsOf(worldId)).length).toBeGreaterThan(8);
  expect(await clean(database.owner, 7 * dayMs, options)).toMatchObject({ worlds: 1, episodes: 1, ledger: 1, approvals: 1, workflows: null });
  expect(await rowsOf(worldId)).toEqual({});
});

test('what was said about its requests goes with a world, and words about others stay', async () => {
  const [old, young] = [await episode('grant-role/0/clean', 8), await episode('grant-role/0/clean', 6)];
  await database.owner.query(`insert into holdpoint.decisions (op_key, digest, kind, person, identity, via) select op_key, digest, 'comment', 'ana', 'token:x', 'cli' from holdpoint.approvals where world_id = any ($1)`, [[old, young]]);
  expect(await countCleanable(database.owner, 7 * dayMs)).toMatchObject({ decisions: 1 });
  expect(await clean(database.owner, 7 * dayMs, options)).toMatchObject({ approvals: 1, decisions: 1 });
  const { rows } = await database.owner.query('select a.world_id from holdpoint.decisions d join holdpoint.approvals a using (op_key)');
  expect(rows).toEqual([{ world_id: young }]);
});

test('a younger world keeps every row', async () => {
  const [old, young] = [await episode('grant-role/0/clean', 8), await episode('grant-role/0/clean', 6)];
  const before = await rowsOf(young);
  expect(await clean(database.owner, 7 * dayMs, options)).toMatchObject({ worlds: 1 });
  expect([await rowsOf(old), await rowsOf(young)]).toEqual([{}, before]);
});

test('an episode without an end keeps its world, however old, and all frozen replies', async () => {
  const worldId = await episode('record-invoice/0/clean', 30, true);
  await reply(30);
  const before = await rowsOf(worldId);
  expect(await clean(database.owner, 7 * dayMs, options)).toMatchObject({ worlds: 0, replies: 0, openEpisodes: 1 });
  expect(await rowsOf(worldId)).toEqual(before);
});

test('replies go by their own age', async () => {
  await reply(8);
  await reply(6);
  expect(await clean(database.owner, 7 * dayMs, options)).toMatchObject({ replies: 1 });
});

test('a world that is just being opened has no episode yet and is left alone, whatever age is asked', async () => {
  const { worldId } = await actCase(database.pool, 'grant-role/0/clean', { kind: 'none', without: [] });
  expect(await clean(database.owner, 0, options)).toMatchObject({ worlds: 0 });
  expect(Object.keys(await rowsOf(worldId)).length).toBeGreaterThan(5);
});

test('a dry run counts what would go and removes nothing', async () => {
  const worldId = await episode('roll-back-release/0/clean', 8);
  const before = await rowsOf(worldId);
  const dry = await countCleanable(database.owner, 7 * dayMs);
  expect(dry).toMatchObject({ worlds: 1, episodes: 1, ledger: 1, approvals: 1 });
  expect(await rowsOf(worldId)).toEqual(before);
});

test('the worker role cannot clean', async () => {
  await episode('grant-role/0/clean', 8);
  await expect(clean(database.pool, 7 * dayMs, options)).rejects.toThrow(/permission denied/);
});

test('ages are a number with a unit', () => {
  expect([readAgeMs('90s'), readAgeMs('5m'), readAgeMs('12h'), readAgeMs('7d')]).toEqual([90_000, 300_000, 43_200_000, 604_800_000]);
  for (const wrong of ['7', 'd', '-1d', '1w', '']) expect(() => readAgeMs(wrong)).toThrow(UserError);
});
