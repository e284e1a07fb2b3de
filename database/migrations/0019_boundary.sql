-- The decision boundary in one view: for every op key what was proposed, who allowed it, what the commit found under its locks, and what came of it.

-- The registry of reasons (contract/failures.ts), so that a query can say what the engine does with one. Filled by `holdpoint migrate` whenever the registry changed.
create table holdpoint.failures (
  reason text primary key,
  kind text not null,
  disposition text not null check (disposition in ('COMPLETED', 'REPLAN', 'ESCALATE')),
  sentence text not null
);
grant select on holdpoint.failures to holdpoint_worker, holdpoint_reader;

create index on holdpoint.decision_refusals (op_key);

-- One row an op key. `outcome`: `waiting` (nobody has decided), `decided` (not executed yet), `committed`, `refused` (by the commit), `closed` (given up before any commit
-- was tried). What is shown of an execution is the attempt that committed, else the last that was refused.
-- `call`: `new` is the first step's first execution; `resumed` that of a later step, after the episode had gone on from one without an effect; `retried` is an op key
-- that was executed more than once, as far as an earlier attempt left a row or the later one its number: a replay of what had committed leaves neither.
-- `asked`: what had to hold besides the approval; `refused_by`: which of it did not, or `approval`, `rows` (one was gone), `opKey` (settled before). Null where allowed.
create view holdpoint.decision_boundary as
select k.op_key, k.episode_id, coalesce(substring(k.op_key from ':(\d{1,9})$')::int, 1) as step, k.world_id, k.tool, k.digest, k.proposer, k.requested_at as proposed_at, k.expires_at,
  k.verdict as decision, k.decided_at, coalesce(said.people, case when k.decided_by is not null then array[k.decided_by] end) as decided_by,
  -- How it is known who decided: `token:<id>` one a person; `simulated` for the built-in approver, `engine` for what the engine did itself, `unauthenticated` for the rest.
  coalesce(said.identities, case when k.verdict is null then null when k.verdict in ('expired', 'cancelled') or k.decided_by = 'engine' then array['engine']
    when k.via = 'auto' then array['simulated'] else array['unauthenticated'] end) as identity,
  k.via, x.started_at as execution_started_at, x.lock_requested_at, x.locked_at, coalesce(x.at, c.at) as ended_at,
  case when x.verdict = 'committed' then 'committed' when x.verdict = 'rejected' then 'refused' when c.id is not null then 'closed' when k.verdict is not null then 'decided' else 'waiting' end as outcome,
  coalesce(x.reason, c.reason) as reason,
  case when x.verdict = 'committed' then 'COMPLETED' else f.disposition end as disposition,
  case coalesce(x.reason, '') when '' then null when 'already_applied' then 'notApplied' when 'status_violated' then 'status' when 'policy_violated' then 'policy'
    when 'integrity_violated' then 'integrity' when 'state_diverged' then 'status' when 'irreversible_effect' then 'integrity' when 'epoch_moved' then 'epoch' when 'read_set_stale' then 'version' when 'entity_missing' then 'rows'
    when 'op_key_closed' then 'opKey' when 'payload_conflict' then 'opKey' else f.kind end as refused_by,
  case x.guard when 'none' then '{}' when 'epoch' then '{epoch}' when 'version' then '{version}'
    when 'predicate' then array(select u.clause from unnest('{notApplied,status,policy,integrity}'::text[]) with ordinality u (clause, n) where u.clause <> all (x.without) order by u.n) end as asked,
  case when x.status_held is not null then jsonb_build_object('status', x.status_held, 'policy', x.policy_held, 'integrity', x.integrity_held, 'notApplied', x.not_applied_held) end as clauses,
  case when x.id is null then null when tries.last > 1 or tries.kept > 1 then 'retried' when substring(k.op_key from ':(\d{1,9})$')::int > 1 then 'resumed' else 'new' end as call,
  coalesce(greatest(tries.last, tries.kept), 0)::int as attempts,
  x.epoch_read, x.epoch_found, seen.rows, x.id as ledger_id, c.at as closed_at, c.reason as closed_reason
from (
  select a.op_key, a.episode_id, a.world_id, a.tool, a.digest, a.proposer, a.proposal, a.requested_at, a.expires_at, a.verdict, a.decided_at, a.decided_by, a.via, a.decision_ids from holdpoint.approvals a
  union all
  -- Keys that nobody was asked about: steps that were given up before there was a proposal, and commits without a request.
  select l.op_key, e.episode_id, l.world_id, min(l.tool), min(l.digest), null, null, null, null, null, null, null, null, null
  from holdpoint.ledger l left join holdpoint.episodes e on e.world_id = l.world_id
  where not exists (select from holdpoint.approvals a where a.op_key = l.op_key) group by l.op_key, e.episode_id, l.world_id
) k
left join lateral (
  select l.* from holdpoint.ledger l where l.world_id = k.world_id and l.op_key = k.op_key and l.verdict <> 'closed' order by l.verdict = 'committed' desc, l.id desc limit 1) x on true
left join lateral (
  select count(*) as kept, max(l.attempt) as last from holdpoint.ledger l where l.world_id = k.world_id and l.op_key = k.op_key and l.verdict <> 'closed') tries on true
left join holdpoint.ledger c on c.world_id = k.world_id and c.op_key = k.op_key and c.verdict = 'closed'
left join lateral (
  select array_agg(d.person order by d.decision_id) as people, array_agg(d.identity order by d.decision_id) as identities from holdpoint.decisions d where d.decision_id = any (k.decision_ids)) said on true
-- A model's text may hold what jsonb cannot: such a proposal has no rows here, and does not stop the view.
left join lateral (
  select jsonb_agg(jsonb_build_object('table', r.row ->> 'table', 'key', r.row ->> 'key', 'read', r.row ->> 'version', 'found', x.versions_found[r.n]::text) order by r.n) as rows
  from jsonb_array_elements(case when pg_input_is_valid(k.proposal, 'jsonb') then k.proposal::jsonb -> 'readSet' end) with ordinality r (row, n)) seen on true
left join holdpoint.failures f on f.reason = coalesce(x.reason, c.reason);
grant select on holdpoint.decision_boundary to holdpoint_worker, holdpoint_reader;
