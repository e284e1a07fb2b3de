-- What the engine remembers about episodes, model replies and runs: everything too large or too wordy for a workflow's history.

-- A frozen reply: the same (model digest, prompt, options, seed) is never asked twice. The raw text is untrusted and kept as it came.
create table holdpoint.replies (
  reply_digest text primary key check (reply_digest ~ '^[0-9a-f]{64}$'),
  model text not null,
  model_digest text not null,
  server_version text not null,
  prompt text not null,
  options jsonb not null,
  raw text not null,
  thinking text not null default '',
  done_reason text not null,
  timing jsonb not null,
  asked_at timestamptz not null default clock_timestamp()
);
-- Who is asking right now: a lease, so that a killed asker does not block the others for ever.
create table holdpoint.reply_leases (
  reply_digest text primary key,
  holder text not null,
  until timestamptz not null
);

create table holdpoint.episodes (
  episode_id text primary key,
  batch_id text not null,
  case_id text not null,
  model text not null,
  seed bigint not null,
  guard text not null,
  without text[] not null default '{}',
  world_id bigint not null,
  -- One entry a step: what was observed, asked and answered.
  steps jsonb not null default '[]',
  outcome jsonb,
  score jsonb,
  faults jsonb not null default '{}',
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
);
create index on holdpoint.episodes (batch_id);
create index on holdpoint.episodes (world_id);
