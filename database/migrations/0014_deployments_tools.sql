-- Deployments, further tools: promotions of tested releases, replicas added for events, and TLS certificates, each the side effect of one tool.
-- What a service says of itself beside them: a text that is empty was never set, so that services without promotion or certificate read as before.
alter table deployments.releases
  add column test_result text not null default '' check (test_result in ('', 'PASSED', 'FAILED'));
alter table deployments.services
  -- What was last ordered to be deployed; `current_release` is what runs, and follows when the rollout is through.
  add column promoted_release text not null default '',
  add column base_replicas bigint not null default 1 check (base_replicas > 0),
  add column replicas bigint not null default 1 check (replicas > 0),
  add column max_replicas bigint not null default 20 check (max_replicas > 0),
  add column certificate_serial text not null default '';

create table deployments.promotions (
  world_id bigint not null,
  promotion_id bigint generated always as identity,
  service_id text not null,
  release_id text not null,
  -- What ran at that time: null at the first installation.
  replaces_release text,
  version bigint not null default 1,
  primary key (world_id, service_id, promotion_id),
  foreign key (world_id, service_id) references deployments.services on delete cascade,
  foreign key (world_id, release_id) references deployments.releases on delete cascade
);
create table deployments.scalings (
  world_id bigint not null,
  scaling_id bigint generated always as identity,
  service_id text not null,
  event_name text not null check (event_name <> ''),
  -- 0 once the event is over: the row stays, so that its event is not scaled for a second time.
  replicas_added bigint not null check (replicas_added >= 0),
  version bigint not null default 1,
  primary key (world_id, service_id, scaling_id),
  foreign key (world_id, service_id) references deployments.services on delete cascade
);
create table deployments.certificates (
  world_id bigint not null,
  certificate_id bigint generated always as identity,
  service_id text not null,
  serial_number text not null check (serial_number <> ''),
  version bigint not null default 1,
  primary key (world_id, service_id, certificate_id),
  foreign key (world_id, service_id) references deployments.services on delete cascade
);

create trigger b_touch after insert or update or delete on deployments.promotions for each row execute function deployments.touch_service();
create trigger b_touch after insert or update or delete on deployments.scalings for each row execute function deployments.touch_service();
create trigger b_touch after insert or update or delete on deployments.certificates for each row execute function deployments.touch_service();

call holdpoint.keep_history('deployments.promotions', 'promotion_id');
call holdpoint.keep_history('deployments.scalings', 'scaling_id');
call holdpoint.keep_history('deployments.certificates', 'certificate_id');

-- Roles were given the tables of their time only (0008).
grant select on deployments.promotions, deployments.scalings, deployments.certificates to holdpoint_worker, holdpoint_reader;
grant insert, update on deployments.promotions, deployments.scalings, deployments.certificates to holdpoint_worker;
