-- The side effects' keys begin with their parent's: one index serves key and look-up, and no plan made on an empty table can pick another and scan a world.
-- Orders: a customer's order, its shipping labels (the side effect of an address change) and the holds that stop it.
create table orders.customers (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  customer_id text not null,
  name text not null,
  version bigint not null default 1,
  primary key (world_id, customer_id)
);
create table orders.orders (
  world_id bigint not null,
  order_id text not null,
  customer_id text not null,
  status text not null check (status in ('PAID', 'QUEUED', 'PACKING', 'SHIPPED', 'CANCELLED')),
  delivery_address text not null check (delivery_address <> ''),
  total_cents bigint not null check (total_cents >= 0),
  warehouse_note text not null default '',
  unresolved_operation text,
  version bigint not null default 1,
  primary key (world_id, order_id),
  foreign key (world_id, customer_id) references orders.customers on delete cascade
) with (fillfactor = 80);
create table orders.labels (
  world_id bigint not null,
  label_id bigint generated always as identity,
  order_id text not null,
  address text not null,
  version bigint not null default 1,
  primary key (world_id, order_id, label_id),
  foreign key (world_id, order_id) references orders.orders on delete cascade
);
create table orders.holds (
  world_id bigint not null,
  hold_id bigint generated always as identity,
  order_id text not null,
  cause text not null,
  released boolean not null default false,
  version bigint not null default 1,
  primary key (world_id, order_id, hold_id),
  foreign key (world_id, order_id) references orders.orders on delete cascade
);

-- Absence has a lock row: whoever inserts or changes a label or a hold bumps the order's version. Skipped where this transaction has written the order already.
create function orders.touch_order() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  update orders.orders set warehouse_note = warehouse_note
    where world_id = coalesce(new.world_id, old.world_id) and order_id in (new.order_id, old.order_id) and xmin <> pg_current_xact_id()::xid;
  return null;
end $$;
create trigger b_touch after insert or update or delete on orders.labels for each row execute function orders.touch_order();
create trigger b_touch after insert or update or delete on orders.holds for each row execute function orders.touch_order();

call holdpoint.keep_history('orders.customers', 'customer_id');
call holdpoint.keep_history('orders.orders', 'order_id');
call holdpoint.keep_history('orders.labels', 'label_id');
call holdpoint.keep_history('orders.holds', 'hold_id');
