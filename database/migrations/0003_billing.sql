-- Billing: purchase orders of vendors, and the postings (the side effect) that record their invoices.
create table billing.vendors (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  vendor_id text not null,
  name text not null,
  version bigint not null default 1,
  primary key (world_id, vendor_id)
);
create table billing.purchase_orders (
  world_id bigint not null,
  purchase_order_id text not null,
  vendor_id text not null,
  status text not null check (status in ('OPEN', 'RECEIVED', 'INVOICED', 'DISPUTED', 'CLOSED')),
  amount_cents bigint not null check (amount_cents > 0),
  invoiced_cents bigint not null default 0 check (invoiced_cents >= 0),
  buyer_note text not null default '',
  unresolved_operation text,
  version bigint not null default 1,
  primary key (world_id, purchase_order_id),
  foreign key (world_id, vendor_id) references billing.vendors on delete cascade
) with (fillfactor = 80);
create table billing.postings (
  world_id bigint not null,
  posting_id bigint generated always as identity,
  purchase_order_id text not null,
  invoice_number text not null,
  amount_cents bigint not null check (amount_cents > 0),
  version bigint not null default 1,
  primary key (world_id, purchase_order_id, posting_id),
  foreign key (world_id, purchase_order_id) references billing.purchase_orders on delete cascade
);

create function billing.touch_purchase_order() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  update billing.purchase_orders set buyer_note = buyer_note
    where world_id = coalesce(new.world_id, old.world_id) and purchase_order_id in (new.purchase_order_id, old.purchase_order_id)
      and xmin <> pg_current_xact_id()::xid;
  return null;
end $$;
create trigger b_touch after insert or update or delete on billing.postings for each row execute function billing.touch_purchase_order();

call holdpoint.keep_history('billing.vendors', 'vendor_id');
call holdpoint.keep_history('billing.purchase_orders', 'purchase_order_id');
call holdpoint.keep_history('billing.postings', 'posting_id');
