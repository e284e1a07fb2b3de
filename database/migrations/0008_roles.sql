-- Least rights. The worker writes domain rows (its triggers record them) and reaches the ledger only through functions; the reader reads.
-- Roles belong to the whole server, so they may exist already.
do $$ begin
  if not exists (select from pg_roles where rolname = 'holdpoint_worker') then create role holdpoint_worker nologin; end if;
  if not exists (select from pg_roles where rolname = 'holdpoint_reader') then create role holdpoint_reader nologin; end if;
end $$;

revoke all on all functions in schema holdpoint, orders, billing, access, deployments from public;
revoke all on all procedures in schema holdpoint from public;
grant usage on schema holdpoint, orders, billing, access, deployments to holdpoint_worker, holdpoint_reader;
grant select on all tables in schema holdpoint, orders, billing, access, deployments to holdpoint_worker, holdpoint_reader;
-- No DELETE: a row put back would start at version 1 again, and a version that an old read knows must never come back.
grant insert, update on all tables in schema orders, billing, access, deployments to holdpoint_worker;
grant insert, update on holdpoint.policies to holdpoint_worker;
grant insert on holdpoint.worlds, holdpoint.epochs, holdpoint.decision_refusals, holdpoint.replies to holdpoint_worker;
-- A request is inserted undecided: decisions come through functions only.
grant insert (op_key, world_id, episode_id, digest, proposal, tool, proposer, expires_at) on holdpoint.approvals to holdpoint_worker;
grant insert, update on holdpoint.episodes to holdpoint_worker;
grant insert, update, delete on holdpoint.reply_leases to holdpoint_worker;
grant execute on function holdpoint.decide, holdpoint.close_op_key to holdpoint_worker;

-- A world starts empty and fills while plans are cached: a plan made on an empty table must not be a sequential scan for ever.
alter role holdpoint_worker set enable_seqscan = off;
alter role holdpoint_worker set plan_cache_mode = force_generic_plan;
