-- Orders, three more tools: refunds (of a cancelled order, or of a shipping fee) and pick lists, which put a paid order into a wave of packing.
-- DELIVERED comes after SHIPPED. CHARGEBACK: the customer's bank took the money back, finance answers it, and nobody else pays anything out.
alter table orders.orders drop constraint orders_status_check;
alter table orders.orders add constraint orders_status_check
  check (status in ('PAID', 'QUEUED', 'PACKING', 'SHIPPED', 'DELIVERED', 'CHARGEBACK', 'CANCELLED'));
alter table orders.orders
  -- The part of the total that was paid for shipping.
  add column shipping_cents bigint not null default 0 check (shipping_cents >= 0),
  -- The sum of the order's refunds.
  add column refunded_cents bigint not null default 0 check (refunded_cents >= 0),
  -- The wave of its newest pick list; empty before it has one.
  add column packing_wave text not null default '';

-- No bound to the order's total and no unique kind: the clauses refuse a second refund, and what a commit without them does must be possible to see.
create table orders.refunds (
  world_id bigint not null,
  refund_id bigint generated always as identity,
  order_id text not null,
  kind text not null check (kind in ('ORDER_TOTAL', 'SHIPPING_FEE', 'ITEM')),
  -- 0 where a voucher had paid for everything.
  amount_cents bigint not null check (amount_cents >= 0),
  reason text not null check (reason <> ''),
  version bigint not null default 1,
  primary key (world_id, order_id, refund_id),
  foreign key (world_id, order_id) references orders.orders on delete cascade
);
-- A wave is what the packing tables work through in one go, for one collection by a carrier. A closed one is printed no more.
create table orders.waves (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  wave_id text not null,
  title text not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'CLOSED')),
  version bigint not null default 1,
  primary key (world_id, wave_id)
);
create table orders.pick_lists (
  world_id bigint not null,
  pick_list_id bigint generated always as identity,
  order_id text not null,
  wave_id text not null,
  version bigint not null default 1,
  primary key (world_id, order_id, pick_list_id),
  foreign key (world_id, order_id) references orders.orders on delete cascade,
  foreign key (world_id, wave_id) references orders.waves on delete cascade
);

create trigger b_touch after insert or update or delete on orders.refunds for each row execute function orders.touch_order();
create trigger b_touch after insert or update or delete on orders.pick_lists for each row execute function orders.touch_order();

call holdpoint.keep_history('orders.refunds', 'refund_id');
call holdpoint.keep_history('orders.waves', 'wave_id');
call holdpoint.keep_history('orders.pick_lists', 'pick_list_id');

grant select on orders.refunds, orders.waves, orders.pick_lists to holdpoint_worker, holdpoint_reader;
grant insert, update on orders.refunds, orders.waves, orders.pick_lists to holdpoint_worker;
