-- An op key needs no table of its own: it is settled by its one final row in the ledger (ledger_one_final_row), and open while there is none.
-- One row and one index entry less for every commit, and no second record that could say otherwise.
drop function holdpoint.close_op_key;
drop table holdpoint.op_keys;
drop type holdpoint.key_state;

-- Settling: claims the op key as closed. The insert waits for a transaction in flight that has written its final row, and then finds what it left; one
-- that has not come so far finds this row instead, by the same unique index, and rolls back. Locks in the order of the commit: the request, then the key.
-- Returns the verdict that stands and, where it is `committed`, the ledger row. A decision that ended the wait is recorded with it.
create function holdpoint.close_op_key(p_world bigint, p_op_key text, p_tool text, p_reason text, p_by text, p_decision text,
  out state holdpoint.ledger_verdict, out ledger_id bigint)
language plpgsql security definer set search_path = pg_catalog as $$
declare
  v_world bigint;
begin
  select a.world_id into v_world from holdpoint.approvals a where a.op_key = p_op_key for no key update;
  if v_world <> p_world then
    raise exception 'The op key % belongs to another world', p_op_key using errcode = '22023';
  end if;
  insert into holdpoint.ledger (world_id, op_key, tool, guard, verdict, reason, attempt) values (p_world, p_op_key, p_tool, 'none', 'closed', p_reason, 1)
    on conflict do nothing;
  select l.verdict, l.world_id, l.id into state, v_world, ledger_id from holdpoint.ledger l where l.op_key = p_op_key and l.verdict <> 'rejected';
  if v_world <> p_world then
    raise exception 'The op key % belongs to another world', p_op_key using errcode = '22023';
  end if;
  if state = 'closed' then
    ledger_id := null;
    if p_decision is not null then
      update holdpoint.approvals a set verdict = p_decision, decided_by = p_by, via = 'auto', decided_at = clock_timestamp()
        where a.op_key = p_op_key and a.verdict is null;
    end if;
  end if;
end $$;
revoke all on function holdpoint.close_op_key from public;
grant execute on function holdpoint.close_op_key to holdpoint_worker;

-- Records the one decision of a request whose key is open; a key that is settled takes none. Two statements, so that the second one sees what was settled
-- while the first one waited. Returns the verdict that stands, null where there is none: the caller compares it with its own.
create or replace function holdpoint.decide(p_op_key text, p_digest text, p_verdict text, p_by text, p_via text, p_comment text) returns text
language plpgsql security definer set search_path = pg_catalog as $$
begin
  perform 1 from holdpoint.approvals a where a.op_key = p_op_key for no key update;
  update holdpoint.approvals a set verdict = p_verdict, decided_by = p_by, via = p_via, comment = p_comment, decided_at = clock_timestamp()
    where a.op_key = p_op_key and a.digest = p_digest and a.verdict is null
      and not exists (select from holdpoint.ledger s where s.op_key = p_op_key and s.verdict <> 'rejected');
  return (select a.verdict from holdpoint.approvals a where a.op_key = p_op_key);
end $$;
