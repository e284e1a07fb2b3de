-- Rollbacks: taking one commit back by a commit of its own (generate-rollback.ts), from the images that the row history kept.

-- Which op key's commit an attempt was to take back; null for every other attempt. At most one rollback of a commit is ever committed.
alter table holdpoint.ledger add column rolls_back text;
create unique index ledger_one_rollback on holdpoint.ledger (rolls_back) where verdict = 'committed' and rolls_back is not null;

-- The rows that the commit of an op key wrote, whatever triggers added: as they were before it (null: it inserted the row) and as it left them. History does not
-- change, so this needs no lock. `key_column` is the history trigger's own argument.
create function holdpoint.written_by(p_world bigint, p_op_key text)
  returns table (table_name text, key text, was jsonb, left_as jsonb, key_column text)
language sql stable set search_path = pg_catalog as $$
  select w.table_name, w.key, w.was, w.left_as, (select split_part(encode(t.tgargs, 'escape'), '\000', 1) from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where t.tgrelid = w.table_name::regclass and p.proname = 'record_change')
  from (select h.table_name, h.key, (array_agg(h.old_row order by h.id))[1] as was, (array_agg(h.new_row order by h.id desc))[1] as left_as
    from holdpoint.ledger l join holdpoint.row_history h on h.world_id = l.world_id and h.xact = l.xact and h.op_key = l.op_key
    where l.world_id = p_world and l.op_key = p_op_key and l.verdict = 'committed' group by h.table_name, h.key) w
  order by w.table_name collate "C", w.key collate "C";
$$;

-- Locks those rows and the policy of the tool, sorted by (table, key), each in the strongest mode that it will need, and holds each against what the commit left.
-- `diverged`: the rows that are something else now, as `table/key`. A column that a migration added since is nobody's write; the version tells of any.
create function holdpoint.lock_written(p_world bigint, p_op_key text, p_tool text, out versions bigint[], out diverged text[])
language plpgsql volatile set search_path = pg_catalog as $$
declare
  v_row record;
  v_now jsonb;
begin
  versions := '{}';
  diverged := '{}';
  for v_row in
    select x.* from (
      select w.table_name, w.key, w.left_as, w.key_column, case when w.was is null then 'update' else 'no key update' end as strength from holdpoint.written_by(p_world, p_op_key) w
      union all select 'holdpoint.policies', p_tool, null, 'tool', 'share') x
    order by x.table_name collate "C", x.key collate "C"
  loop
    execute format('select to_jsonb(x) from %s x where x.world_id = $1 and x.%I = %L for %s', v_row.table_name::regclass, v_row.key_column, v_row.key, v_row.strength) into v_now using p_world;
    continue when v_row.strength = 'share';
    versions := versions || (v_now ->> 'version')::bigint;
    if v_now is null or exists (select from jsonb_each(v_row.left_as) e where v_now -> e.key is distinct from e.value) then
      diverged := diverged || (v_row.table_name || '/' || v_row.key);
    end if;
  end loop;
end $$;

-- Puts the locked rows back. Updated rows first, so that the triggers of the deleted ones, which bump their parent, find it written. A row that a delete takes away
-- never comes back under its key, which a sequence drew: no version is ever seen twice.
create function holdpoint.restore_written(p_world bigint, p_op_key text) returns void
language plpgsql volatile set search_path = pg_catalog as $$
declare
  v_row record;
  v_columns text;
begin
  for v_row in select w.* from holdpoint.written_by(p_world, p_op_key) w order by w.was is null, w.table_name collate "C", w.key collate "C" loop
    if v_row.was is null then
      execute format('delete from %s x where x.world_id = $1 and x.%I = %L', v_row.table_name::regclass, v_row.key_column, v_row.key) using p_world;
    else
      select string_agg(format('%1$I = s.%1$I', c), ', ') into v_columns from jsonb_object_keys(v_row.was) c
        where c not in ('version', 'world_id') and v_row.was -> c is distinct from v_row.left_as -> c;
      if v_columns is not null then
        execute format('update %1$s x set %2$s from jsonb_populate_record(null::%1$s, $2) s where x.world_id = $1 and x.%3$I = %4$L', v_row.table_name::regclass, v_columns, v_row.key_column, v_row.key)
          using p_world, v_row.was;
      end if;
    end if;
  end loop;
end $$;

revoke all on function holdpoint.written_by, holdpoint.lock_written, holdpoint.restore_written from public;
grant execute on function holdpoint.written_by to holdpoint_worker, holdpoint_reader;
