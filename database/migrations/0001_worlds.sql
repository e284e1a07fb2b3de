-- Worlds, their epochs, policies and the row history that every write leaves, whoever makes it.
create schema holdpoint;
create schema orders;
create schema billing;
create schema access;
create schema deployments;

create table holdpoint.worlds (
  world_id bigint generated always as identity primary key,
  label text not null,
  created_at timestamptz not null default clock_timestamp()
);

-- One row a world, last in every lock order: whoever holds it is next in the world's history.
create table holdpoint.epochs (
  world_id bigint primary key references holdpoint.worlds on delete cascade,
  epoch bigint not null default 0,
  last_xact xid8
) with (fillfactor = 50);

create table holdpoint.policies (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  tool text not null,
  allowed boolean not null,
  max_amount_cents bigint check (max_amount_cents >= 0),
  -- Who may approve this tool, compared letter by letter; `auto` stands for the simulated approver.
  approvers text[] not null,
  note text not null default '',
  version bigint not null default 1,
  primary key (world_id, tool)
);

-- Written by triggers only. Within a world, id order is commit order, because the epoch row is locked before the insert.
create table holdpoint.row_history (
  world_id bigint not null,
  id bigint generated always as identity,
  epoch bigint not null,
  xact xid8 not null default pg_current_xact_id(),
  table_name text not null,
  key text not null,
  old_row jsonb,
  new_row jsonb,
  actor text not null,
  reason text not null,
  op_key text,
  started_at timestamptz not null default now(),
  at timestamptz not null default clock_timestamp(),
  primary key (world_id, id)
);

-- Every row's version is an integer that only grows, so that a value that came back (ABA) is still another version.
create function holdpoint.next_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;

-- A deferred constraint trigger: it runs at COMMIT, after every row lock of the transaction, so that the epoch row comes last in the lock order; an
-- immediate one would deadlock writers of several rows. Argument 0 is the key's column. One statement, because this runs for every row ever written:
-- it bumps the epoch once a transaction (a second row finds its own transaction in last_xact), and the id is drawn after the epoch row is locked.
create function holdpoint.record_change() returns trigger
language plpgsql security definer set search_path = pg_catalog as $$
declare
  v_old jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  v_new jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  v_world bigint := case when tg_op = 'DELETE' then old.world_id else new.world_id end;
begin
  with bumped as (
    update holdpoint.epochs set epoch = epoch + 1, last_xact = pg_current_xact_id()
      where world_id = v_world and last_xact is distinct from pg_current_xact_id() returning epoch
  ), now_at as (
    select epoch from bumped union all select e.epoch from holdpoint.epochs e where e.world_id = v_world and e.last_xact = pg_current_xact_id()
  )
  insert into holdpoint.row_history (world_id, epoch, table_name, key, old_row, new_row, actor, reason, op_key)
  select v_world, now_at.epoch, tg_table_schema || '.' || tg_table_name, coalesce(v_new, v_old) ->> tg_argv[0], v_old, v_new,
    coalesce(nullif(current_setting('holdpoint.actor', true), ''), session_user), coalesce(nullif(current_setting('holdpoint.reason', true), ''), 'unstated'),
    nullif(current_setting('holdpoint.op_key', true), '')
  from now_at;
  if not found then
    raise exception 'The world % has no epoch: its history cannot be kept', v_world using errcode = '23503';
  end if;
  return null;
end $$;

create function holdpoint.refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'TRUNCATE of % is refused: it would leave no history', tg_table_name using errcode = '42501';
end $$;

create function holdpoint.refuse_key_change() returns trigger language plpgsql as $$
begin
  raise exception 'A row of % cannot move to another key or world: its history and its readers know it by these', tg_table_name using errcode = '42501';
end $$;

-- Puts a table under the regime: versions, history, epoch, a key for life, no TRUNCATE.
create procedure holdpoint.keep_history(p_table regclass, p_key text) language plpgsql as $$
begin
  execute format('create trigger a_version before update on %s for each row execute function holdpoint.next_version()', p_table);
  execute format('create constraint trigger z_history after insert or update or delete on %s deferrable initially deferred
    for each row execute function holdpoint.record_change(%L)', p_table, p_key);
  execute format('create trigger key_for_life before update of world_id, %I on %s for each row
    when (old.world_id <> new.world_id or old.%I <> new.%I) execute function holdpoint.refuse_key_change()', p_key, p_table, p_key, p_key);
  execute format('create trigger no_truncate before truncate on %s for each statement execute function holdpoint.refuse_truncate()', p_table);
end $$;

call holdpoint.keep_history('holdpoint.policies', 'tool');
