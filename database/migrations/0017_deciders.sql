-- Who may decide, how it is known that it was they, and everything that they said: taken in or refused, in one place.

alter table holdpoint.policies
  -- How many different people must approve.
  add column approvals_needed int not null default 1 check (approvals_needed between 1 and 5),
  -- Whether a decision counts that proves nothing of its sender: a bare Temporal signal or update. It is recorded as unauthenticated.
  add column unauthenticated boolean not null default true;

-- An entry `group:<name>` among a policy's approvers stands for the people of the group.
create table holdpoint.group_members (
  group_name text not null check (group_name <> ''),
  person text not null check (person <> ''),
  added_at timestamptz not null default clock_timestamp(),
  primary key (group_name, person)
);

-- A token is 256 random bits, so its plain SHA-256 can be neither guessed nor turned back.
create table holdpoint.tokens (
  token_id text primary key,
  hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  person text not null check (person <> '' and person !~ '^(agent|group|auto|engine)(:|$)'),
  scopes text[] not null check (scopes <@ array['view', 'approve', 'reject', 'edit', 'comment', 'escalate'] and scopes <> '{}'),
  -- Null: any tool that a policy lets the person decide about.
  tools text[],
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);

alter table holdpoint.approvals
  -- The proofs of the decision that stands, where it came from authenticated people; null for one that proves nothing.
  add column decision_ids bigint[],
  -- Where it was handed on: a person, or `group:<name>`; only they decide then.
  add column assigned_to text,
  -- Known to those whom the database has let in; the workflow knows its digest. A decision that comes with it went through the database first.
  add column proof text not null default encode(sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'),
  drop constraint approvals_verdict_check,
  add constraint approvals_verdict_check check (verdict in ('approve', 'reject', 'edit', 'expired', 'cancelled')),
  drop constraint approvals_via_check,
  add constraint approvals_via_check check (via in ('auto', 'update', 'signal', 'cli', 'inbox'));
create index approvals_of_episode on holdpoint.approvals (episode_id);
create index approvals_by_age on holdpoint.approvals (requested_at) where verdict is null;

-- Everything that somebody said about a request through an authenticated door, in the order in which it was said. `refused`: the registry's reason, or null
-- where it was let in; what stands in the end is the request's verdict. Append-only.
create table holdpoint.decisions (
  decision_id bigint generated always as identity primary key,
  op_key text not null,
  digest text not null,
  kind text not null check (kind in ('approve', 'reject', 'edit', 'comment', 'escalate', 'remind')),
  person text not null,
  -- How that is known: `token:<id>`, or `engine` for a reminder. Empty where it is not: the decision was refused then.
  identity text not null,
  via text not null check (via in ('cli', 'inbox', 'engine')),
  comment text not null default '',
  -- Of an edit, as JSON text; of an escalation, to whom.
  arguments text,
  assigned_to text,
  refused text,
  at timestamptz not null default clock_timestamp()
);
create index on holdpoint.decisions (op_key, decision_id);
create trigger append_only before truncate on holdpoint.decisions for each statement execute function holdpoint.refuse_change();
-- One that was let in may still be refused by the episode, once: somebody whose door leads there directly was faster.
create function holdpoint.refuse_other_words() returns trigger language plpgsql as $$
begin
  if old.refused is not null or new.refused is null or to_jsonb(new) - 'refused' <> to_jsonb(old) - 'refused' then
    raise exception 'What was said is not changed afterwards' using errcode = '42501';
  end if;
  return new;
end $$;
create trigger words_for_life before update on holdpoint.decisions for each row execute function holdpoint.refuse_other_words();

-- Whether somebody stands on a list of approvers, letter for letter, by name or as one of a group.
create function holdpoint.is_listed(p_person text, p_approvers text[]) returns boolean
language sql stable security definer set search_path = pg_catalog as $$
  select p_person = any (p_approvers)
    or exists (select from holdpoint.group_members m where m.person = p_person and 'group:' || m.group_name = any (p_approvers));
$$;

-- Whether enough different people have approved this very proposal and may do so at this moment: token in force, still listed, not the proposer.
create function holdpoint.approvals_stand(p_op_key text, p_digest text, p_ids bigint[], p_proposer text, p_approvers text[], p_needed int) returns boolean
language sql stable security definer set search_path = pg_catalog as $$
  select count(distinct d.person) >= p_needed
  from holdpoint.decisions d join holdpoint.tokens t on 'token:' || t.token_id = d.identity
  where d.decision_id = any (p_ids) and d.op_key = p_op_key and d.digest = p_digest and d.kind = 'approve' and d.refused is null
    and d.person <> p_proposer and t.revoked_at is null and holdpoint.is_listed(d.person, p_approvers);
$$;

-- Lets one thing that somebody says about a request in, or refuses it, and keeps either with the time. The request's row is locked first, so that of two who
-- speak at once the second finds what the first one said: that lock is where decisions through authenticated doors are ordered. Somebody who says the same again
-- gets the first answer again, so that a lost delivery can be repeated. Returns {decisionId, person, proof, episodeId, approvals, needed} or {refused, decisionId,
-- person, verdict, by}.
create function holdpoint.hear(p_hash text, p_said jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog as $$
declare
  t holdpoint.tokens;
  a holdpoint.approvals;
  p holdpoint.policies;
  v_kind text := p_said ->> 'kind';
  first holdpoint.decisions;
  v_settled holdpoint.ledger_verdict;
  v_refused text;
  v_id bigint;
  v_said int;
begin
  select * into t from holdpoint.tokens k where k.hash = p_hash for share;
  select * into a from holdpoint.approvals r where r.op_key = p_said ->> 'opKey' for no key update;
  select * into p from holdpoint.policies q where q.world_id = a.world_id and q.tool = a.tool;
  select l.verdict into v_settled from holdpoint.ledger l where l.op_key = a.op_key and l.verdict <> 'rejected';
  -- What was let in before: an approval leaves room for another one until enough people have approved, and for a refusal or an edit.
  select d.* into first from holdpoint.decisions d where d.op_key = a.op_key and d.refused is null
    and (d.kind in ('reject', 'edit') or (d.kind = 'approve' and (v_kind = 'approve' and d.person = t.person))) order by d.decision_id limit 1;
  select count(distinct d.person) into v_said from holdpoint.decisions d where d.op_key = a.op_key and d.refused is null and d.kind = 'approve';
  if first.decision_id is null and v_said >= coalesce(p.approvals_needed, 1) then
    select d.* into first from holdpoint.decisions d where d.op_key = a.op_key and d.refused is null and d.kind = 'approve' order by d.decision_id desc limit 1;
  end if;
  if first.person = t.person and first.kind = v_kind and first.digest = p_said ->> 'digest' and first.arguments is not distinct from p_said ->> 'arguments'
    and first.identity = 'token:' || t.token_id and t.revoked_at is null and t.expires_at > clock_timestamp() and a.verdict is null and a.digest = first.digest then
    return jsonb_build_object('decisionId', first.decision_id, 'person', first.person, 'proof', a.proof, 'episodeId', a.episode_id, 'approvals', v_said, 'needed', p.approvals_needed);
  end if;
  v_refused := case
    when t.token_id is null or t.revoked_at is not null or t.expires_at <= clock_timestamp() then 'not_authenticated'
    when not v_kind = any (t.scopes) then 'out_of_scope'
    when a.op_key is null then 'unknown_or_closed_request'
    when t.tools is not null and not a.tool = any (t.tools) then 'out_of_scope'
    when a.digest <> p_said ->> 'digest' then 'stale_proposal'
    when t.person = a.proposer then 'not_authorised'
    when holdpoint.is_listed(t.person, coalesce(p.approvers, '{}')) is not true then 'not_authorised'
    when v_kind = 'comment' then null
    when a.assigned_to is not null and not holdpoint.is_listed(t.person, array[a.assigned_to]) then 'not_authorised'
    when a.verdict is not null and a.verdict not in ('expired', 'cancelled') then 'already_decided'
    when v_settled is not null then 'already_closed'
    when a.expires_at <= clock_timestamp() or a.verdict = 'expired' then 'proposal_expired'
    when a.verdict is not null then 'already_closed'
    when v_kind in ('approve', 'reject', 'edit', 'escalate') and first.decision_id is not null then 'already_decided'
    when v_kind = 'escalate' and coalesce(p_said ->> 'to', '') = '' then 'malformed_decision'
  end;
  insert into holdpoint.decisions (op_key, digest, kind, person, identity, via, comment, arguments, assigned_to, refused)
  values (p_said ->> 'opKey', p_said ->> 'digest', v_kind, coalesce(t.person, ''), coalesce('token:' || t.token_id, ''), p_said ->> 'via', coalesce(p_said ->> 'comment', ''),
    p_said ->> 'arguments', p_said ->> 'to', v_refused)
  returning decision_id into v_id;
  if v_refused is null and v_kind = 'escalate' then
    update holdpoint.approvals r set assigned_to = p_said ->> 'to' where r.op_key = a.op_key;
  end if;
  if v_refused is not null then
    return jsonb_build_object('refused', v_refused, 'decisionId', v_id, 'person', coalesce(t.person, ''), 'verdict', coalesce(a.verdict, first.kind), 'by', coalesce(a.decided_by, first.person));
  end if;
  return jsonb_build_object('decisionId', v_id, 'person', t.person, 'proof', a.proof, 'episodeId', a.episode_id,
    'approvals', v_said + (v_kind = 'approve')::int, 'needed', p.approvals_needed);
end $$;

-- The episode did not take in what had been let in.
create function holdpoint.not_taken(p_id bigint, p_reason text) returns void
language sql security definer set search_path = pg_catalog as $$
  update holdpoint.decisions set refused = p_reason where decision_id = p_id and refused is null;
$$;

revoke all on function holdpoint.is_listed, holdpoint.approvals_stand, holdpoint.hear, holdpoint.not_taken from public;
grant execute on function holdpoint.is_listed, holdpoint.hear, holdpoint.not_taken to holdpoint_worker;
grant select on holdpoint.group_members, holdpoint.decisions to holdpoint_worker, holdpoint_reader;
grant select (token_id, person, scopes, tools, created_at, expires_at, revoked_at) on holdpoint.tokens to holdpoint_worker, holdpoint_reader;
