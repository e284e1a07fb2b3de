-- Access: people, the roles they may hold, and the grants (the side effect) that give them.
create table access.people (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  person_id text not null,
  name text not null,
  status text not null check (status in ('ACTIVE', 'SUSPENDED', 'LEFT')),
  role_count bigint not null default 0 check (role_count >= 0),
  manager_note text not null default '',
  unresolved_operation text,
  version bigint not null default 1,
  primary key (world_id, person_id)
) with (fillfactor = 80);
create table access.roles (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  role_id text not null,
  title text not null,
  grantable boolean not null default true,
  version bigint not null default 1,
  primary key (world_id, role_id)
);
create table access.grants (
  world_id bigint not null,
  grant_id bigint generated always as identity,
  person_id text not null,
  role_id text not null,
  version bigint not null default 1,
  primary key (world_id, person_id, grant_id),
  foreign key (world_id, person_id) references access.people on delete cascade,
  foreign key (world_id, role_id) references access.roles on delete cascade
);

create function access.touch_person() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  update access.people set manager_note = manager_note
    where world_id = coalesce(new.world_id, old.world_id) and person_id in (new.person_id, old.person_id) and xmin <> pg_current_xact_id()::xid;
  return null;
end $$;
create trigger b_touch after insert or update or delete on access.grants for each row execute function access.touch_person();

call holdpoint.keep_history('access.people', 'person_id');
call holdpoint.keep_history('access.roles', 'role_id');
call holdpoint.keep_history('access.grants', 'grant_id');
