-- Forks: an episode's commit once more, in a world of its own that is made of the recorded history, under another guard.

-- The op key whose commit the episode repeats; null for an episode of its own.
alter table holdpoint.episodes add column forked_from text;

-- Writes what one recorded transaction wrote once more, into another world, in one transaction, and says who did it and why as the history does. With the caller's rights:
-- what only the owner may write is refused. Keys are copied, also generated ones (they are unique within a world), so that nothing that names a row has to be translated.
-- An update that changed nothing but the version is either a trigger's, which strikes here too, or somebody's, which is made up for at the end: so versions come out as they were.
-- Returns whether this call wrote it: a world that is as far already stays as it is.
create function holdpoint.replay_epoch(p_from bigint, p_into bigint, p_epoch bigint, p_from_episode text, p_into_episode text) returns boolean
language plpgsql set search_path = pg_catalog as $$
declare
  v_row record;
  v_now bigint;
  v_columns text;
  v_where text;
  v_free text;
  v_version bigint;
  v_hit bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('replay ' || p_into, 7));
  select e.epoch into v_now from holdpoint.epochs e where e.world_id = p_into;
  if v_now >= p_epoch then
    return false;
  elsif v_now is distinct from p_epoch - 1 then
    raise exception 'World % is at epoch %, and cannot be given epoch %', p_into, v_now, p_epoch using errcode = 'P0002';
  end if;
  for v_row in
    select h.table_name::regclass as tbl, h.old_row, h.new_row, h.actor, h.reason,
      case when starts_with(h.op_key, p_from_episode || ':') then p_into_episode || substr(h.op_key, length(p_from_episode) + 1) else h.op_key end as op_key
    from holdpoint.row_history h where h.world_id = p_from and h.epoch = p_epoch order by h.id
  loop
    perform set_config('holdpoint.actor', v_row.actor, true), set_config('holdpoint.reason', v_row.reason, true), set_config('holdpoint.op_key', coalesce(v_row.op_key, ''), true);
    if v_row.old_row is null then
      select string_agg(quote_ident(k), ', ') into v_columns from jsonb_object_keys(v_row.new_row - 'world_id') k;
      execute format('insert into %1$s (world_id, %2$s) overriding system value select $1, %2$s from jsonb_populate_record(null::%1$s, $2)', v_row.tbl, v_columns) using p_into, v_row.new_row;
      continue;
    end if;
    v_where := holdpoint.replayed_row(v_row.tbl);
    if v_row.new_row is null then
      execute format('delete from %1$s t using jsonb_populate_record(null::%1$s, $2) s where t.world_id = $1 and %2$s', v_row.tbl, v_where) using p_into, v_row.old_row;
    else
      select string_agg(format('%1$I = s.%1$I', k), ', ') into v_columns
        from jsonb_object_keys(v_row.new_row - 'world_id' - 'version') k where v_row.new_row -> k is distinct from v_row.old_row -> k;
      continue when v_columns is null;
      execute format('update %1$s t set %3$s from jsonb_populate_record(null::%1$s, $2) s where t.world_id = $1 and %2$s', v_row.tbl, v_where, v_columns) using p_into, v_row.new_row;
    end if;
    get diagnostics v_hit = row_count;
    if v_hit <> 1 then
      raise exception 'A recorded change hit % rows instead of one in world %', v_hit, p_into using errcode = 'P0002';
    end if;
  end loop;
  -- Updates that set a column to what it was.
  for v_row in
    select distinct on (h.table_name, h.key) h.table_name::regclass as tbl, h.new_row from holdpoint.row_history h
    where h.world_id = p_from and h.epoch = p_epoch order by h.table_name, h.key, h.id desc
  loop
    continue when v_row.new_row is null;
    v_where := holdpoint.replayed_row(v_row.tbl);
    execute format('select t.version from %1$s t, jsonb_populate_record(null::%1$s, $2) s where t.world_id = $1 and %2$s', v_row.tbl, v_where) into v_version using p_into, v_row.new_row;
    select a.attname into v_free from pg_attribute a
      where a.attrelid = v_row.tbl and a.attnum > 0 and not a.attisdropped and a.attidentity = '' and a.attgenerated = '' and a.attname not in ('world_id', 'version')
        and has_column_privilege(v_row.tbl, a.attnum, 'update') order by a.attnum desc limit 1;
    for i in v_version + 1 .. (v_row.new_row ->> 'version')::bigint loop
      execute format('update %1$s t set %3$I = t.%3$I from jsonb_populate_record(null::%1$s, $2) s where t.world_id = $1 and %2$s', v_row.tbl, v_where, v_free) using p_into, v_row.new_row;
    end loop;
  end loop;
  return true;
end $$;

-- SQL that finds a row `t` by the primary key of its image `s`, within a world.
create function holdpoint.replayed_row(p_table regclass) returns text
language sql stable set search_path = pg_catalog as $$
  select string_agg(format('t.%1$I = s.%1$I', a.attname), ' and ' order by a.attnum) from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
  where i.indrelid = p_table and i.indisprimary and a.attname <> 'world_id';
$$;

-- A world that begins as another one began, from the first transaction of its history.
create function holdpoint.seed_fork(p_from bigint, p_label text, p_from_episode text, p_into_episode text) returns bigint
language plpgsql set search_path = pg_catalog as $$
declare
  v_world bigint;
begin
  insert into holdpoint.worlds (label) values (p_label) returning world_id into v_world;
  insert into holdpoint.epochs (world_id) values (v_world);
  perform holdpoint.replay_epoch(p_from, v_world, 1, p_from_episode, p_into_episode);
  return v_world;
end $$;

revoke all on function holdpoint.replay_epoch, holdpoint.replayed_row, holdpoint.seed_fork from public;
grant execute on function holdpoint.replay_epoch, holdpoint.replayed_row, holdpoint.seed_fork to holdpoint_worker;
