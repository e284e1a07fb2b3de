-- Deployments: services, the releases they can run, and the rollouts (the side effect) that change which one runs.
create table deployments.services (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  service_id text not null,
  status text not null check (status in ('HEALTHY', 'DEGRADED', 'DEPLOYING', 'ROLLED_BACK', 'FROZEN')),
  current_release text not null,
  operator_note text not null default '',
  unresolved_operation text,
  version bigint not null default 1,
  primary key (world_id, service_id)
) with (fillfactor = 80);
create table deployments.releases (
  world_id bigint not null,
  release_id text not null,
  service_id text not null,
  artifact text not null,
  version bigint not null default 1,
  primary key (world_id, release_id),
  foreign key (world_id, service_id) references deployments.services on delete cascade
);
create table deployments.rollouts (
  world_id bigint not null,
  rollout_id bigint generated always as identity,
  service_id text not null,
  from_release text,
  to_release text not null,
  version bigint not null default 1,
  primary key (world_id, service_id, rollout_id),
  foreign key (world_id, service_id) references deployments.services on delete cascade,
  foreign key (world_id, to_release) references deployments.releases on delete cascade
);

create function deployments.touch_service() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  update deployments.services set operator_note = operator_note
    where world_id = coalesce(new.world_id, old.world_id) and service_id in (new.service_id, old.service_id) and xmin <> pg_current_xact_id()::xid;
  return null;
end $$;
create trigger b_touch after insert or update or delete on deployments.rollouts for each row execute function deployments.touch_service();

call holdpoint.keep_history('deployments.services', 'service_id');
call holdpoint.keep_history('deployments.releases', 'release_id');
call holdpoint.keep_history('deployments.rollouts', 'rollout_id');
