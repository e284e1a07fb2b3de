-- Seeds a world in one call: its row, its epoch and all its rows, which as statements of their own cost an episode a third of its time in the database.
-- With the caller's rights, so that it can write no more than the caller could. Tables come in the order of their foreign keys; a row's columns are its keys.
create function holdpoint.seed_world(p_label text, p_rows jsonb) returns bigint
language plpgsql set search_path = pg_catalog as $$
declare
  v_world bigint;
  v_entry jsonb;
  v_columns text;
begin
  insert into holdpoint.worlds (label) values (p_label) returning world_id into v_world;
  insert into holdpoint.epochs (world_id) values (v_world);
  perform set_config('holdpoint.actor', 'seed', true), set_config('holdpoint.reason', p_label, true), set_config('holdpoint.op_key', '', true);
  for v_entry in select e from jsonb_array_elements(p_rows) e loop
    select string_agg(quote_ident(k), ', ') into v_columns from jsonb_object_keys(v_entry -> 'row') k;
    execute format('insert into %1$s (world_id, %2$s) select $1, %2$s from jsonb_populate_record(null::%1$s, $2)', (v_entry ->> 'table')::regclass, v_columns)
      using v_world, v_entry -> 'row';
  end loop;
  return v_world;
end $$;
revoke all on function holdpoint.seed_world from public;
grant execute on function holdpoint.seed_world to holdpoint_worker;
