-- Access, further tools: cases, which suspend an account and bar its unlocking, suspension notices, unlocks, building sites and their badges.
alter table access.people drop constraint people_status_check;
-- LOCKED: shut out by failed log-ins alone. A stop that somebody decided is SUSPENDED.
alter table access.people add constraint people_status_check check (status in ('ACTIVE', 'LOCKED', 'SUSPENDED', 'LEFT'));
alter table access.people
  -- The case of the newest suspension notice, also after the suspension was lifted; empty where there never was one.
  add column last_suspension_case text not null default '',
  add column failed_logins bigint not null default 0 check (failed_logins >= 0),
  add column unlock_count bigint not null default 0 check (unlock_count >= 0),
  -- Badges that were not handed back.
  add column badge_count bigint not null default 0 check (badge_count >= 0);

create table access.cases (
  world_id bigint not null,
  case_number text not null,
  person_id text not null,
  subject text not null,
  open boolean not null default true,
  version bigint not null default 1,
  primary key (world_id, case_number),
  foreign key (world_id, person_id) references access.people on delete cascade
);
-- Whether a person has an open case is asked by person.
create index on access.cases (world_id, person_id);
create table access.suspension_notices (
  world_id bigint not null,
  notice_id bigint generated always as identity,
  person_id text not null,
  case_number text not null,
  version bigint not null default 1,
  primary key (world_id, person_id, notice_id),
  foreign key (world_id, person_id) references access.people on delete cascade,
  foreign key (world_id, case_number) references access.cases on delete cascade
);
create table access.unlocks (
  world_id bigint not null,
  unlock_id bigint generated always as identity,
  person_id text not null,
  ticket_number text not null,
  version bigint not null default 1,
  primary key (world_id, person_id, unlock_id),
  foreign key (world_id, person_id) references access.people on delete cascade
);
create table access.sites (
  world_id bigint not null references holdpoint.worlds on delete cascade,
  site_id text not null,
  title text not null,
  issues_badges boolean not null default true,
  version bigint not null default 1,
  primary key (world_id, site_id)
);
create table access.badges (
  world_id bigint not null,
  badge_id bigint generated always as identity,
  person_id text not null,
  site_id text not null,
  returned boolean not null default false,
  version bigint not null default 1,
  primary key (world_id, person_id, badge_id),
  foreign key (world_id, person_id) references access.people on delete cascade,
  foreign key (world_id, site_id) references access.sites on delete cascade
);

create trigger b_touch after insert or update or delete on access.cases for each row execute function access.touch_person();
create trigger b_touch after insert or update or delete on access.suspension_notices for each row execute function access.touch_person();
create trigger b_touch after insert or update or delete on access.unlocks for each row execute function access.touch_person();
create trigger b_touch after insert or update or delete on access.badges for each row execute function access.touch_person();

call holdpoint.keep_history('access.cases', 'case_number');
call holdpoint.keep_history('access.suspension_notices', 'notice_id');
call holdpoint.keep_history('access.unlocks', 'unlock_id');
call holdpoint.keep_history('access.sites', 'site_id');
call holdpoint.keep_history('access.badges', 'badge_id');

grant select on access.cases, access.suspension_notices, access.unlocks, access.sites, access.badges to holdpoint_worker, holdpoint_reader;
grant insert, update on access.cases, access.suspension_notices, access.unlocks, access.sites, access.badges to holdpoint_worker;
