/** Worlds: seeding one, changing it the way other people and services do, and reading it as it is or as it was. */
import type { Observation, ReadSet, Scalar, Telemetry } from '../contract/observation.ts';
import type { Arguments } from '../contract/proposal.ts';
import type { ToolContract } from '../guards/tool-contract.ts';
import type { Change, Row } from '../contract/change.ts';
import { quoteIdentifier, quoteTable } from './identifiers.ts';
import type { Pool, Queryable } from './pool.ts';
import { inOneTrip, inTransaction } from './transaction.ts';

/** Who writes and why: goes into the row history with every row. */
export type Cause = { readonly actor: string; readonly reason: string; readonly opKey?: string };

/** What one transaction changes, and its cause. */
export type Mutation = Cause & { readonly changes: readonly Change[] };

/** Creates a world with its rows in one transaction and one round trip. Its epoch is 1 afterwards, 0 where there are no rows. Tables are filled in the given order (foreign keys). @returns the world's id */
export async function seedWorld(pool: Pool, label: string, rows: readonly { table: string; row: Row }[]): Promise<string> {
  const seed = { name: 'seed-world', text: 'select holdpoint.seed_world($1, $2)', values: [label, JSON.stringify(rows)] };
  return (await inOneTrip(pool, seed)) ?? '';
}

/** Applies changes in one transaction, as another service would: the triggers bump versions and epoch and write the history. */
export async function changeWorld(pool: Pool, worldId: string, mutation: Mutation): Promise<void> {
  await inTransaction(pool, (client) => changeIn(client, worldId, mutation));
}

/** As changeWorld, within the caller's transaction. @throws Error where an update hits no row */
export async function changeIn(client: Queryable, worldId: string, mutation: Mutation): Promise<void> {
  const { actor, reason, opKey = '', changes } = mutation;
  const said = client.query(`select set_config('holdpoint.actor', $1, true), set_config('holdpoint.reason', $2, true), set_config('holdpoint.op_key', $3, true)`, [actor, reason, opKey]);
  const results = await Promise.all([said, ...changes.map((change) => client.query(changeQuery(worldId, change)))]);
  const missed = changes.findIndex((_, index) => results[index + 1]?.rowCount !== 1);
  if (missed >= 0) throw new Error(`A change hit ${String(results[missed + 1]?.rowCount ?? 0)} rows instead of one: ${JSON.stringify(changes[missed])}`);
}

function changeQuery(worldId: string, change: Change): { text: string; values: unknown[] } {
  if ('insert' in change) {
    const columns = Object.keys(change.row);
    return {
      text: `insert into ${quoteTable(change.insert)} (world_id, ${columns.map(quoteIdentifier).join(', ')}) values ($1, ${columns.map((_, index) => `$${String(index + 2)}`).join(', ')})`,
      values: [worldId, ...Object.values(change.row)],
    };
  }
  const set = Object.entries(change.set);
  return {
    text: `update ${quoteTable(change.update)} set ${set.map(([column], index) => `${quoteIdentifier(column)} = $${String(index + 3)}`).join(', ')}
      where world_id = $1 and ${quoteIdentifier(change.keyColumn)} = $2`,
    values: [worldId, change.key, ...set.map(([, value]) => value)],
  };
}

/** The world's epoch now, as decimal text. */
export async function epochOf(db: Queryable, worldId: string): Promise<string> {
  const { rows } = await db.query<{ epoch: string }>('select epoch from holdpoint.epochs where world_id = $1', [worldId]);
  if (rows[0] === undefined) throw new Error(`There is no world ${worldId}.`);
  return rows[0].epoch;
}

/** A row that was to be read does not exist. */
export class RowMissingError extends Error {
  override name = 'RowMissingError';
  readonly reason = 'entity_missing';
}

/** What a read of the contract's rows gives, as of an epoch or now. */
export type ReadRequest = { readonly worldId: string; readonly contract: ToolContract; readonly keys: Arguments; readonly telemetry: Telemetry; readonly asOfEpoch?: string };

/**
 * Reads the contract's rows with their versions and the epoch from one snapshot. With `asOfEpoch` all three are as old as that epoch: one statement over
 * the row history, so that values, versions and epoch are old together.
 * @throws RowMissingError where a row is not there
 */
export async function observeWorld(db: Queryable, request: ReadRequest): Promise<Observation> {
  const wanted = request.contract.locks.map((row) => ({ name: row.name, table: row.table, key: 'literal' in row.key ? row.key.literal : String(request.keys[row.key.argument]) }));
  const { rows } = await db.query<{ epoch: string; found: { row: Record<string, unknown> | null; version: string | null }[] }>({
    name: 'observe-world', text: asOfSql, values: [request.worldId, wanted.map((row) => row.table), wanted.map((row) => row.key), request.asOfEpoch ?? null],
  });
  const first = rows[0];
  if (first === undefined) throw new Error(`There is no world ${request.worldId}.`);
  const readSet: ReadSet = wanted.map((row, index) => {
    const version = first.found[index]?.version ?? null;
    if (version === null) throw new RowMissingError(`The row ${row.table}/${row.key} is not there.`);
    return { table: row.table, key: row.key, version };
  });
  const shown = Object.fromEntries(wanted.map((row, index) => [row.name, visible(first.found[index]?.row ?? {})]));
  return { worldId: request.worldId, epoch: first.epoch, readSet, rows: shown, telemetry: request.telemetry };
}

// The history holds every row since the world began, so the present is the history up to the current epoch. The row's version is text: it may exceed 2^53.
const asOfSql = `
  with at as (select least(e.epoch, coalesce($4::bigint, e.epoch)) as epoch from holdpoint.epochs e where e.world_id = $1)
  select at.epoch, (
    select jsonb_agg(jsonb_build_object('row', h.new_row, 'version', h.new_row ->> 'version') order by w.position)
    from unnest($2::text[], $3::text[]) with ordinality as w (table_name, key, position)
    left join lateral (
      select x.new_row from holdpoint.row_history x
      where x.world_id = $1 and x.table_name = w.table_name and x.key = w.key and x.epoch <= at.epoch order by x.id desc limit 1
    ) h on true) as found
  from at`;

/** Columns that no model sees: the engine's own marks, and who may decide. A prompt that gained one would be another question than the frozen replies answer. */
export const hiddenColumns: readonly string[] = ['world_id', 'version', 'approvers', 'approvals_needed', 'unauthenticated'];

/** A row as models see it. */
function visible(row: Record<string, unknown>): Record<string, Scalar> {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !hiddenColumns.includes(column))) as Record<string, Scalar>;
}
