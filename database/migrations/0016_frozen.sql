-- Many identical worlds at once, for evaluations that replay one frozen proposal under every controller: each gets a world of its own, and one call seeds or changes all.
-- With the caller's rights, as seed_world. One dynamic insert a seed row fills it into every world, so that within each world the rows come in the given order.
create function holdpoint.seed_worlds(p_label text, p_rows jsonb, p_count int) returns bigint[]
language plpgsql set search_path = pg_catalog as $$
declare
  v_worlds bigint[];
  v_entry jsonb;
  v_columns text;
  v_values text;
begin
  with made as (insert into holdpoint.worlds (label) select p_label from generate_series(1, p_count) returning world_id)
  select array_agg(world_id order by world_id) into v_worlds from made;
  insert into holdpoint.epochs (world_id) select w from unnest(v_worlds) w;
  perform set_config('holdpoint.actor', 'seed', true), set_config('holdpoint.reason', p_label, true), set_config('holdpoint.op_key', '', true);
  for v_entry in select e from jsonb_array_elements(p_rows) e loop
    select string_agg(quote_ident(k), ', '), string_agg('s.' || quote_ident(k), ', ') into v_columns, v_values from jsonb_object_keys(v_entry -> 'row') k;
    execute format('insert into %1$s (world_id, %2$s) select w.id, %3$s from unnest($1) w (id), jsonb_populate_record(null::%1$s, $2) s', (v_entry ->> 'table')::regclass, v_columns, v_values)
      using v_worlds, v_entry -> 'row';
  end loop;
  return v_worlds;
end $$;

-- Changes worlds the way another service would, all by the caller's one transaction: each world sees one transaction of its own, because its epoch moves once.
-- A change that does not hit exactly one row a world is an error.
create function holdpoint.change_worlds(p_worlds bigint[], p_changes jsonb, p_actor text, p_reason text, p_op_key text) returns void
language plpgsql set search_path = pg_catalog as $$
declare
  v_change jsonb;
  v_columns text;
  v_values text;
  v_hit bigint;
begin
  perform set_config('holdpoint.actor', p_actor, true), set_config('holdpoint.reason', p_reason, true), set_config('holdpoint.op_key', p_op_key, true);
  for v_change in select c from jsonb_array_elements(p_changes) c loop
    if v_change ? 'insert' then
      select string_agg(quote_ident(k), ', '), string_agg('s.' || quote_ident(k), ', ') into v_columns, v_values from jsonb_object_keys(v_change -> 'row') k;
      execute format('insert into %1$s (world_id, %2$s) select w.id, %3$s from unnest($1) w (id), jsonb_populate_record(null::%1$s, $2) s', (v_change ->> 'insert')::regclass, v_columns, v_values)
        using p_worlds, v_change -> 'row';
    else
      select string_agg(format('%1$I = s.%1$I', k), ', ') into v_values from jsonb_object_keys(v_change -> 'set') k;
      execute format('update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $2) s where t.world_id = any ($1) and t.%3$I = %4$L',
        (v_change ->> 'update')::regclass, v_values, v_change ->> 'keyColumn', v_change ->> 'key')
        using p_worlds, v_change -> 'set';
    end if;
    get diagnostics v_hit = row_count;
    if v_hit <> cardinality(p_worlds) then
      raise exception 'A change hit % rows in % worlds: %', v_hit, cardinality(p_worlds), v_change using errcode = 'P0002';
    end if;
  end loop;
end $$;

revoke all on function holdpoint.seed_worlds, holdpoint.change_worlds from public;
grant execute on function holdpoint.seed_worlds, holdpoint.change_worlds to holdpoint_worker;
