-- Op keys, requests for approval, and the ledger: what was asked, who said what, and what came of it.

-- Enumerated types rather than CHECKs where a commit writes: Postgres parses a table's CHECKs anew for every statement that writes to it.
create type holdpoint.key_state as enum ('open', 'committed', 'closed');
create type holdpoint.guard_kind as enum ('none', 'epoch', 'version', 'predicate');
create type holdpoint.ledger_verdict as enum ('committed', 'rejected', 'closed');

-- Identity only: episode id and step. `open` after a rejected attempt; `committed` and `closed` are final.
create table holdpoint.op_keys (
  op_key text primary key,
  world_id bigint not null,
  digest text,
  state holdpoint.key_state not null
);

-- The request and its one decision. The frozen proposal is kept as canonical text, because jsonb would not give the same digest back.
create table holdpoint.approvals (
  op_key text primary key,
  world_id bigint not null,
  episode_id text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  proposal text not null,
  tool text not null,
  proposer text not null,
  requested_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  verdict text check (verdict in ('approve', 'reject', 'expired', 'cancelled')),
  decided_by text,
  via text check (via in ('auto', 'update', 'signal')),
  comment text not null default '',
  decided_at timestamptz,
  check ((verdict is null) = (decided_at is null))
);
-- What waits. Keyed like the table itself: a decision looks a request up by key and by "undecided", and must not scan all that wait.
create index approvals_waiting on holdpoint.approvals (op_key) where verdict is null;
create index on holdpoint.approvals (world_id);

-- Decisions that were refused at the door, with their reason: once each, however often their recording is retried.
create table holdpoint.decision_refusals (
  refusal_id text primary key,
  op_key text not null,
  digest text not null,
  verdict text not null,
  said_by text not null,
  via text not null,
  reason text not null,
  at timestamptz not null default clock_timestamp()
);

-- Append-only. At most one committed row an op key, and every attempt that was refused.
create table holdpoint.ledger (
  world_id bigint not null,
  id bigint generated always as identity,
  op_key text not null,
  digest text,
  tool text not null,
  guard holdpoint.guard_kind not null,
  without text[] not null default '{}',
  verdict holdpoint.ledger_verdict not null,
  reason text,
  attempt int not null,
  versions_read bigint[],
  versions_found bigint[],
  epoch_read bigint,
  epoch_found bigint,
  status_held boolean,
  policy_held boolean,
  integrity_held boolean,
  not_applied_held boolean,
  state_found jsonb,
  approved_by text,
  approved_at timestamptz,
  xact xid8 not null default pg_current_xact_id(),
  started_at timestamptz not null default now(),
  -- Between these two the commit waited for its locks.
  lock_requested_at timestamptz,
  locked_at timestamptz,
  at timestamptz not null default clock_timestamp(),
  primary key (world_id, id)
);
create unique index ledger_one_final_row on holdpoint.ledger (op_key) where verdict <> 'rejected';

create function holdpoint.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is refused', tg_table_name, tg_op using errcode = '42501';
end $$;
create trigger append_only before update or truncate on holdpoint.ledger for each statement execute function holdpoint.refuse_change();
create trigger append_only before update or truncate on holdpoint.row_history for each statement execute function holdpoint.refuse_change();

-- Records the one decision of a request. Returns the verdict that stands: the caller compares it with its own.
create function holdpoint.decide(p_op_key text, p_digest text, p_verdict text, p_by text, p_via text, p_comment text) returns text
language sql security definer set search_path = pg_catalog as $$
  update holdpoint.approvals set verdict = p_verdict, decided_by = p_by, via = p_via, comment = p_comment, decided_at = clock_timestamp()
    where op_key = p_op_key and digest = p_digest and verdict is null;
  select verdict from holdpoint.approvals where op_key = p_op_key;
$$;

-- Settling: claims the op key as closed. The claim waits for a transaction in flight on the same key and then finds what it left.
-- Returns the state that stands and, where it is `committed`, the ledger row. A decision that ended the wait is recorded with it.
create function holdpoint.close_op_key(p_world bigint, p_op_key text, p_tool text, p_reason text, p_by text, p_decision text,
  out state holdpoint.key_state, out ledger_id bigint)
language plpgsql security definer set search_path = pg_catalog as $$
begin
  if exists (select from holdpoint.op_keys k where k.op_key = p_op_key and k.world_id <> p_world and k.state <> 'open')
    or exists (select from holdpoint.approvals a where a.op_key = p_op_key and a.world_id <> p_world) then
    raise exception 'The op key % belongs to another world', p_op_key using errcode = '22023';
  end if;
  insert into holdpoint.op_keys (op_key, world_id, state) values (p_op_key, p_world, 'closed') on conflict do nothing;
  if found then
    state := 'closed';
  else
    select k.state into state from holdpoint.op_keys k where k.op_key = p_op_key for update;
    if state = 'open' then
      update holdpoint.op_keys k set state = 'closed', world_id = p_world where k.op_key = p_op_key;
      state := 'closed';
    elsif state = 'committed' then
      select l.id into ledger_id from holdpoint.ledger l where l.op_key = p_op_key and l.verdict = 'committed';
      return;
    end if;
  end if;
  insert into holdpoint.ledger (world_id, op_key, tool, guard, verdict, reason, attempt) values (p_world, p_op_key, p_tool, 'none', 'closed', p_reason, 1)
    on conflict do nothing;
  if p_decision is not null then
    update holdpoint.approvals a set verdict = p_decision, decided_by = p_by, via = 'auto', decided_at = clock_timestamp()
      where a.op_key = p_op_key and a.verdict is null;
  end if;
end $$;
