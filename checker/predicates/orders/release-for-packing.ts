/** When an order may go to the packing tables, said over the row history. */
import { rowAt, rowsAt } from '../../as-of.ts';
import type { Predicate } from '../predicate.ts';
import { openHolds } from './rows.ts';

const printed = `${rowsAt("'orders.pick_lists'")} printed where printed.r ->> 'order_id' = q.args ->> 'orderId'`;

/** Paid, held by nobody, no open operation, into a wave still open; its wave is that of the pick list printed last; and none is printed for the wanted wave. */
export const releaseForPackingPredicate: Predicate = {
  tool: 'release_for_packing',
  subjects: {
    purchase: rowAt("'orders.orders'", `q.args ->> 'orderId'`),
    wave: rowAt("'orders.waves'", `q.args ->> 'waveId'`),
    rule: rowAt("'holdpoint.policies'", `'release_for_packing'`),
  },
  status: `purchase ->> 'status' = 'PAID' and purchase ->> 'unresolved_operation' is null and ${openHolds} = 0 and wave ->> 'status' = 'OPEN'`,
  policy: `(rule ->> 'allowed')::boolean`,
  integrity: `(select coalesce((array_agg(printed.r ->> 'wave_id' order by (printed.r ->> 'pick_list_id')::bigint desc))[1], '') from ${printed}) = purchase ->> 'packing_wave'`,
  notApplied: `purchase is not null and 0 = (select count(*) from ${printed} and printed.r -> 'wave_id' = q.args -> 'waveId')`,
  sideEffectTable: 'orders.pick_lists',
  sameEffect: `jsonb_build_array(r -> 'order_id', r -> 'wave_id')`,
  wantedEffect: `jsonb_build_array(q.args -> 'orderId', q.args -> 'waveId')`,
};
