/** Worlds for the commit bench: many orders each, half of them for bare updates, and commits made ready before the clock starts. */
import type { GuardKind } from '../../contract/guard.ts';
import { freezeProposal, proposalDigest } from '../../contract/proposal.ts';
import type { CommitRequest } from '../../database/commit/commit.ts';
import type { Pool } from '../../database/pool.ts';
import { epochOf, seedWorld } from '../../database/worlds.ts';
import type { ToolContract } from '../../guards/tool-contract.ts';
import { changeDeliveryAddress } from '../../guards/tools/orders/change-delivery-address.ts';

/** A world of the bench; `offset` is where a connection's own orders begin. */
export type BenchWorld = { readonly worldId: string; readonly offset: number };

/** Orders that are only ever updated plainly, and orders that are only ever committed to: a plain update would break the second ones' integrity. */
export const barePrefix = 'B-';
export const guardedPrefix = 'G-';

const { tool } = changeDeliveryAddress;
let serial = 0;

/** The tool as it is, and with its first effect alone: the very UPDATE that the bare kind does, so that the guard's own price is seen. Locks, clauses and ledger are the same. */
export const contracts: Readonly<Record<'updateAlone' | 'withSideEffect', ToolContract>> = {
  updateAlone: { ...changeDeliveryAddress, effect: changeDeliveryAddress.effect.slice(0, 1) }, withSideEffect: changeDeliveryAddress,
};

/** Seeds a world with `orders` orders of each sort. */
export async function benchWorld(pool: Pool, orders: number): Promise<BenchWorld> {
  const worldId = await seedWorld(pool, 'bench', [
    { table: 'holdpoint.policies', row: { tool, allowed: true, approvers: ['auto'] } },
    { table: 'orders.customers', row: { customer_id: 'C-1', name: 'Bench' } },
  ]);
  await pool.query(
    `insert into orders.orders (world_id, order_id, customer_id, status, delivery_address, total_cents)
     select $1, prefix || n, 'C-1', 'PAID', 'Old Road 1', 100 from generate_series(0, $2::int - 1) n, unnest($3::text[]) prefix`,
    [worldId, orders, [barePrefix, guardedPrefix]],
  );
  return { worldId, offset: 0 };
}

/** A statement of the bench, prepared once a connection. */
type Statement = { readonly name: string; readonly text: string; readonly values: unknown[] };

/** What every guard is compared with: one row, one statement, the same triggers. */
export function bareUpdate(world: BenchWorld, operation: number): Statement {
  return {
    name: 'bench-bare',
    text: 'update orders.orders set delivery_address = $3 where world_id = $1 and order_id = $2',
    values: [world.worldId, `${barePrefix}${String(world.offset + operation)}`, `New Road ${String((serial += 1))}`],
  };
}

/** The same with the side effect's row, still one statement: what the tool as it is is compared with. */
export function bareBoth(world: BenchWorld, operation: number): Statement {
  const { text, values } = bareUpdate(world, operation);
  return { name: 'bench-both', text: `with changed as (${text}) insert into orders.labels (world_id, order_id, address) values ($1, $2, $3)`, values };
}

/** What is made ready. `before`: how many kinds, and how many guards among them, have their turn earlier in the round. */
type Turn = { readonly kind: GuardKind; readonly operations: number; readonly before: { readonly kinds: number; readonly guards: number } };

/** Approved proposals, one an order, with the versions and the epoch that they will find: each kind's turn moves the epoch once an operation, each guard's an order's version. */
export async function readyCommits(pool: Pool, world: BenchWorld, { kind, operations, before }: Turn): Promise<CommitRequest[]> {
  const { rows } = await pool.query<{ order_id: string; version: string }>('select order_id, version from orders.orders where world_id = $1', [world.worldId]);
  const versionOf = new Map(rows.map((row) => [row.order_id, String(BigInt(row.version) + BigInt(before.guards))]));
  const epoch = BigInt(await epochOf(pool, world.worldId)) + BigInt(before.kinds * operations);
  const requests = Array.from({ length: operations }, (_, operation): CommitRequest => {
    const orderId = `${guardedPrefix}${String(world.offset + operation)}`;
    const proposal = freezeProposal({
      tool, arguments: { orderId, newAddress: `New Road ${String((serial += 1))}` }, allowedStates: [...changeDeliveryAddress.allowedStates], proposer: 'agent:bench', windowMs: 3_600_000,
      epoch: String(epoch + BigInt(operation)), // each commit of this connection moves its world's epoch by one
      readSet: [{ table: 'holdpoint.policies', key: tool, version: '1' }, { table: 'orders.orders', key: orderId, version: versionOf.get(orderId) ?? '0' }],
    });
    return { worldId: world.worldId, opKey: `bench:${String(serial)}`, proposal, digest: proposalDigest(proposal), guard: { kind, without: [] }, attempt: 1 };
  });
  await pool.query(
    `insert into holdpoint.approvals (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at)
     select u.op_key, $1, 'bench', u.digest, '', $2, 'agent:bench', clock_timestamp() + interval '1 hour' from unnest($3::text[], $4::text[]) u (op_key, digest)`,
    [world.worldId, tool, requests.map((request) => request.opKey), requests.map((request) => request.digest)],
  );
  await pool.query(`select holdpoint.decide(u.op_key, u.digest, 'approve', 'auto', 'auto', '') from unnest($1::text[], $2::text[]) u (op_key, digest)`, [
    requests.map((request) => request.opKey), requests.map((request) => request.digest),
  ]);
  return requests;
}
