-- Billing, further: payments of invoices, credit notes of vendors, and reminders of a refund that is still open. Each is the side effect of one tool, and the
-- purchase order carries what they add up to. Nothing here keeps a payment from being made twice: that is what the guards are compared at.
alter table billing.purchase_orders
  add column paid_cents bigint not null default 0 check (paid_cents >= 0),
  add column credited_cents bigint not null default 0 check (credited_cents >= 0),
  add column reminder_level bigint not null default 0 check (reminder_level >= 0),
  drop constraint purchase_orders_status_check,
  add constraint purchase_orders_status_check check (status in ('OPEN', 'RECEIVED', 'INVOICED', 'PAID', 'DISPUTED', 'CLOSED'));
-- Set while a vendor's bank details are in doubt: nothing is paid until somebody has called back.
alter table billing.vendors add column payment_blocked boolean not null default false;

create table billing.payments (
  world_id bigint not null,
  payment_id bigint generated always as identity,
  purchase_order_id text not null,
  invoice_number text not null,
  amount_cents bigint not null check (amount_cents > 0),
  version bigint not null default 1,
  primary key (world_id, purchase_order_id, payment_id),
  foreign key (world_id, purchase_order_id) references billing.purchase_orders on delete cascade
);
create table billing.credit_notes (
  world_id bigint not null,
  credit_note_id bigint generated always as identity,
  purchase_order_id text not null,
  credit_note_number text not null,
  amount_cents bigint not null check (amount_cents > 0),
  version bigint not null default 1,
  primary key (world_id, purchase_order_id, credit_note_id),
  foreign key (world_id, purchase_order_id) references billing.purchase_orders on delete cascade
);
create table billing.reminders (
  world_id bigint not null,
  reminder_id bigint generated always as identity,
  purchase_order_id text not null,
  level bigint not null check (level > 0),
  amount_cents bigint not null check (amount_cents > 0),
  version bigint not null default 1,
  primary key (world_id, purchase_order_id, reminder_id),
  foreign key (world_id, purchase_order_id) references billing.purchase_orders on delete cascade
);

create trigger b_touch after insert or update or delete on billing.payments for each row execute function billing.touch_purchase_order();
create trigger b_touch after insert or update or delete on billing.credit_notes for each row execute function billing.touch_purchase_order();
create trigger b_touch after insert or update or delete on billing.reminders for each row execute function billing.touch_purchase_order();

call holdpoint.keep_history('billing.payments', 'payment_id');
call holdpoint.keep_history('billing.credit_notes', 'credit_note_id');
call holdpoint.keep_history('billing.reminders', 'reminder_id');

grant select on billing.payments, billing.credit_notes, billing.reminders to holdpoint_worker, holdpoint_reader;
grant insert, update on billing.payments, billing.credit_notes, billing.reminders to holdpoint_worker;
