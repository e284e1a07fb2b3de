/** The world of the demo: one order at version 17, the warehouse that starts to pack it, and what is on the parcel in the end. */
import { observeWorld, changeWorld, seedWorld } from '../../database/worlds.ts';
import type { EpisodeRow } from '../../database/episodes.ts';
import { insertEpisode } from '../../database/episodes.ts';
import type { Pool, Queryable } from '../../database/pool.ts';
import type { GuardKind } from '../../contract/guard.ts';
import { toolContract } from '../../guards/tools/index.ts';
import { planOf } from '../../scenarios/plan.ts';

/** A customer asks for another address; nothing else is planned to happen. */
export const caseId = 'change-delivery-address/0/clean';
/** Proposes what was asked for, without a model server. */
export const model = 'always-act';

const plan = planOf(caseId);
export const orderId = String(plan.arguments['orderId']);
export const newAddress = String(plan.arguments['newAddress']);
const order = { update: 'orders.orders', keyColumn: 'order_id', key: orderId };

/** Opens an episode on an order that has been changed sixteen times before, as a workflow would find one that an earlier run had opened. @returns the world's id */
export async function openAtVersion17(pool: Pool, episodeId: string, guard: GuardKind): Promise<string> {
  const contract = toolContract(plan.tool);
  if (contract === undefined) throw new TypeError('The demo has no tool.');
  const worldId = await seedWorld(pool, caseId, plan.seed);
  for (let version = 2; version <= 17; version += 1) await changeWorld(pool, worldId, { actor: 'shop', reason: 'the order\'s life before', changes: [{ ...order, set: { warehouse_note: version < 17 ? `checked ${String(version - 1)} times` : '' } }] });
  const observation = await observeWorld(pool, { worldId, contract, keys: plan.keys, telemetry: plan.telemetry });
  const identity: Pick<EpisodeRow, 'episodeId' | 'batchId' | 'caseId' | 'model' | 'seed' | 'guard' | 'without'> = { episodeId, batchId: 'single', caseId, model, seed: 1, guard, without: [] };
  await insertEpisode(pool, identity, { worldId, observation, faults: {} });
  return worldId;
}

/** The warehouse takes the order with the label that lies there. */
export async function startPacking(pool: Pool, worldId: string): Promise<void> {
  await changeWorld(pool, worldId, { actor: 'warehouse', reason: 'packing begins', changes: [{ ...order, set: { status: 'PACKING', warehouse_note: 'Picked, at packing table 4.' } }] });
}

/** How the order stands, and what the label says that was there when packing began: that one is on the parcel. */
export type Parcel = { readonly status: string; readonly version: string; readonly orderAddress: string; readonly labelOnParcel: string | null; readonly labels: readonly string[] };

/** Read from the tables and their history. */
export async function parcelOf(db: Queryable, worldId: string): Promise<Parcel> {
  const { rows } = await db.query<Parcel>(
    `select o.status, o.version::text, o.delivery_address as "orderAddress",
       (select l.new_row ->> 'address' from holdpoint.row_history l where l.world_id = o.world_id and l.table_name = 'orders.labels' and l.new_row ->> 'order_id' = o.order_id
          and l.id < (select min(p.id) from holdpoint.row_history p where p.world_id = o.world_id and p.table_name = 'orders.orders' and p.key = o.order_id and p.new_row ->> 'status' = 'PACKING')
        order by l.id desc limit 1) as "labelOnParcel",
       (select coalesce(array_agg(l.address order by l.label_id), '{}') from orders.labels l where l.world_id = o.world_id and l.order_id = o.order_id) as labels
     from orders.orders o where o.world_id = $1 and o.order_id = $2`, [worldId, orderId]);
  if (rows[0] === undefined) throw new TypeError('The demo\'s order is gone.');
  return rows[0];
}
