/** Contract: put a paid order into a wave of the packing queue. */
import { policyOf, type ToolContract } from '../../tool-contract.ts';
import { noLiveHold, theOrder } from './clauses.ts';

const tool = 'release_for_packing';

/** Moves the order from PAID to QUEUED and prints one pick list. The wave is share-locked: one that closes meanwhile would leave a pick list that nobody works through. */
export const releaseForPacking: ToolContract = {
  tool,
  domain: 'orders',
  description: 'Release a paid order for packing: print its pick list in an open wave.',
  arguments: {
    orderId: { type: 'text', description: 'the id of the order', maxLength: 40 },
    waveId: { type: 'text', description: 'the id of the packing wave', maxLength: 40 },
  },
  locks: [
    policyOf(tool),
    theOrder,
    { name: 'the_wave', table: 'orders.waves', keyColumn: 'wave_id', key: { argument: 'waveId' }, strength: 'share' },
  ],
  entity: theOrder.name,
  allowedStates: ['PAID'],
  clauses: {
    status: `the_order.status = 'PAID' and the_order.unresolved_operation is null and the_wave.status = 'OPEN'
      and ${noLiveHold}`,
    policy: 'policy.allowed',
    integrity: `the_order.packing_wave = coalesce((select l.wave_id from orders.pick_lists l
      where l.world_id = p_world and l.order_id = a_order_id order by l.pick_list_id desc limit 1), '')`,
    notApplied: 'not exists (select from orders.pick_lists l where l.world_id = p_world and l.order_id = a_order_id and l.wave_id = a_wave_id)',
  },
  effect: [
    `update orders.orders set status = 'QUEUED', packing_wave = a_wave_id where world_id = p_world and order_id = a_order_id`,
    'insert into orders.pick_lists (world_id, order_id, wave_id) values (p_world, a_order_id, a_wave_id)',
  ],
  sideEffectTable: 'orders.pick_lists',
};
