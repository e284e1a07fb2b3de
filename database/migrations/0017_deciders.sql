-- Who may decide, how it is known that it was they, and everything that they said: let in or refused, in one place.

alter table holdpoint.policies
  -- How many different people must approve.
  add column approvals_needed int not null default 1 check (approvals_needed between 1 and 5),
  -- Whether a decision counts that proves nothing of its sender: a bare Temporal signal or update. It is recorded as unauthenticated.
  add column unauthenticated boolean not null default true;
-- The worker sets both where it seeds a world and changes neither: whoever holds its password cannot lower what a policy asks for.
revoke update on holdpoint.policies from holdpoint_worker;
grant update (allowed, max_amount_cents, approvers, note) on holdpoint.policies to holdpoint_worker;

-- An entry `group:<name>` among a policy's approvers stands for the people of the group. A row is inserted or deleted, never changed.
create table holdpoint.group_members (
  group_name text not null check (group_name <> ''),
  person text not null check (person <> ''),
  added_at timestamptz not null default clock_timestamp(),
  primary key (group_name, person)
);
create index on holdpoint.group_members (person);

-- A token is 256 random bits, so its plain SHA-256 can be neither guessed nor turned back. The names that the engine uses itself are nobody's.
create table holdpoint.tokens (
  token_id text primary key,
  hash text not null unique check (hash ~ '^[0-9a-f]{64}$'),
  person text not null check (person <> '' and person = btrim(person) and person !~ '[[:cntrl:]]' and person !~* '^(agent|person|group|token|auto|engine)(:|$)'),
  scopes text[] not null check (scopes <@ array['view', 'approve', 'reject', 'edit', 'comment', 'escalate'] and scopes <> '{}'),
  -- Null: any tool that a policy lets the person decide about.
  tools text[],
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);

alter table holdpoint.approvals
  -- What was let in for the decision that stands, one a person; null for a decision that proves nothing of its sender.
  add column decision_ids bigint[],
  -- Where it was handed on: a person, or `group:<name>`; only they decide then.
  add column assigned_to text,
  drop constraint approvals_verdict_check,
  add constraint approvals_verdict_check check (verdict in ('approve', 'reject', 'edit', 'expired', 'cancelled')),
  drop constraint approvals_via_check,
  add constraint approvals_via_check check (via in ('auto', 'update', 'signal', 'cli', 'inbox'));
create index approvals_of_episode on holdpoint.approvals (episode_id);

-- Everything that somebody said about a request through an authenticated door, in the order in which it was said. `refused`: the registry's reason, or null
-- where it was let in; what stands in the end is the request's verdict. Words are not changed afterwards, and nobody but the owner deletes any.
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
  -- Of an edit, as JSON text.
  arguments text,
  -- Of an escalation: to whom.
  assigned_to text,
  refused text,
  at timestamptz not null default clock_timestamp()
);
create index on holdpoint.decisions (op_key, decision_id);
create unique index one_reminder on holdpoint.decisions (op_key) where kind = 'remind' and refused is null;
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
  select coalesce(p_person = any (p_approvers), false) and p_person !~ '^group:'
    or exists (select from holdpoint.group_members m where m.person = p_person and 'group:' || m.group_name = any (p_approvers));
$$;

-- Whether somebody made the proposal: as its proposer, or as the person who edited it.
create function holdpoint.is_proposer(p_person text, p_proposer text) returns boolean
language sql immutable set search_path = pg_catalog as $$
  select p_person = p_proposer or 'person:' || p_person = p_proposer;
$$;

-- Whether a request can be handed on by somebody to a target, a person or `group:<name>`: enough of them may decide about it, counting who has approved before and
-- without whoever hands it on, who could otherwise keep everybody else away from it.
create function holdpoint.can_be_handed_to(p_target text, p_by text, p_approved text[], p_request holdpoint.approvals, p_policy holdpoint.policies) returns boolean
language sql stable security definer set search_path = pg_catalog as $$
  select count(distinct x.person) filter (where x.person <> all (p_approved) and x.person <> p_by) > 0
    and count(distinct x.person) filter (where x.person <> all (p_approved)) + cardinality(p_approved) >= coalesce(p_policy.approvals_needed, 1)
  from (select p_target as person where p_target !~ '^group:' union all select m.person from holdpoint.group_members m where 'group:' || m.group_name = p_target) x
  where x.person <> 'auto' and not holdpoint.is_proposer(x.person, p_request.proposer) and holdpoint.is_listed(x.person, coalesce(p_policy.approvers, '{}'));
$$;

-- Who the bearer of a token is, as long as it is in force.
create function holdpoint.bearer(p_hash text, out token_id text, out person text, out scopes text[], out tools text[], out expires_at timestamptz) returns setof record
language sql stable security definer set search_path = pg_catalog as $$
  select t.token_id, t.person, t.scopes, t.tools, t.expires_at from holdpoint.tokens t where t.hash = p_hash and t.revoked_at is null and t.expires_at > clock_timestamp();
$$;

-- Locks what a commit's approvals rest on besides the policy: tokens and memberships, so that a withdrawal waits for the commit, or the commit for it.
create function holdpoint.lock_rights(p_ids bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog as $$
begin
  perform 1 from holdpoint.tokens t where t.token_id in (select substr(d.identity, 7) from holdpoint.decisions d where d.decision_id = any (p_ids)) order by t.token_id for share;
  perform 1 from holdpoint.group_members m where m.person in (select d.person from holdpoint.decisions d where d.decision_id = any (p_ids)) order by m.group_name, m.person for share;
end $$;

-- Whether an approval that was let in stands at this moment: the token is not revoked, and the person is still listed and not the proposer. A membership counts
-- if it is as old as the approval: one that was taken away and given back has no lock of the commit's on it, and a withdrawal stays one. A token that has merely
-- expired since was in force when its bearer spoke.
create function holdpoint.stands(p_said holdpoint.decisions, p_proposer text, p_approvers text[]) returns boolean
language sql stable security definer set search_path = pg_catalog as $$
  select p_said.refused is null and not holdpoint.is_proposer(p_said.person, p_proposer)
    and exists (select from holdpoint.tokens t where t.token_id = substr(p_said.identity, 7) and p_said.identity like 'token:%' and t.revoked_at is null)
    and (p_said.person = any (p_approvers)
      or exists (select from holdpoint.group_members m where m.person = p_said.person and 'group:' || m.group_name = any (p_approvers) and m.added_at <= p_said.at));
$$;

-- Whether enough different people have approved this very proposal and may do so at this moment.
create function holdpoint.approvals_stand(p_op_key text, p_digest text, p_ids bigint[], p_proposer text, p_approvers text[], p_needed int) returns boolean
language sql stable security definer set search_path = pg_catalog as $$
  select count(distinct d.person) >= p_needed from holdpoint.decisions d
  where d.decision_id = any (p_ids) and d.op_key = p_op_key and d.digest = p_digest and d.kind = 'approve' and holdpoint.stands(d, p_proposer, p_approvers);
$$;

-- Lets one thing that somebody says about a request in, or refuses it, and keeps either with the time. The request's row is locked first, so that of two who
-- speak at once the second finds what the first one said: that lock is where decisions through authenticated doors are ordered. Somebody who says the same again
-- gets the first answer again, so that a lost delivery can be repeated. Locks in the order of the commit: the request, then rights.
-- Returns {decisionId, person, episodeId, approvals, needed} or {refused, decisionId, person, verdict, by}.
create function holdpoint.hear(p_hash text, p_said jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog as $$
declare
  v_kind text := p_said ->> 'kind';
  v_digest text := p_said ->> 'digest';
  v_to text := p_said ->> 'to';
  v_token holdpoint.tokens;
  v_request holdpoint.approvals;
  v_policy holdpoint.policies;
  v_standing holdpoint.decisions;
  v_handed holdpoint.decisions;
  v_settled holdpoint.ledger_verdict;
  v_approved text[] := '{}';
  v_answer jsonb;
  v_refused text;
  v_id bigint;
begin
  -- A stranger locks nothing and learns nothing.
  if exists (select from holdpoint.bearer(p_hash)) then
    select * into v_request from holdpoint.approvals a where a.op_key = p_said ->> 'opKey' for no key update;
    select * into v_token from holdpoint.tokens t where t.hash = p_hash and t.revoked_at is null and t.expires_at > clock_timestamp() for share;
    select * into v_policy from holdpoint.policies p where p.world_id = v_request.world_id and p.tool = v_request.tool;
    select l.verdict into v_settled from holdpoint.ledger l where l.op_key = v_request.op_key and l.verdict <> 'rejected';
    -- Approvals that do not stand any more leave room for others, and for the same person's with a right that does.
    select coalesce(array_agg(distinct d.person), '{}') into v_approved from holdpoint.decisions d
      where d.op_key = v_request.op_key and d.kind = 'approve' and holdpoint.stands(d, v_request.proposer, coalesce(v_policy.approvers, '{}'));
    v_answer := jsonb_build_object('person', v_token.person, 'episodeId', v_request.episode_id, 'approvals', cardinality(v_approved), 'needed', coalesce(v_policy.approvals_needed, 1));
    -- What was let in before and leaves no room for this: a rejection or an edit; the approval that completed the number; the same person's approval.
    select d.* into v_standing from holdpoint.decisions d where d.op_key = v_request.op_key and d.refused is null
      and (d.kind in ('reject', 'edit') or d.kind = 'approve' and d.person = any (v_approved)
        and (cardinality(v_approved) >= coalesce(v_policy.approvals_needed, 1) or v_kind = 'approve' and d.person = v_token.person)
        and holdpoint.stands(d, v_request.proposer, coalesce(v_policy.approvers, '{}')))
      order by d.kind = v_kind and d.person = v_token.person desc, d.kind in ('reject', 'edit') desc, d.decision_id desc limit 1;
    if v_standing.person = v_token.person and v_standing.kind = v_kind and v_standing.identity = 'token:' || v_token.token_id and v_standing.digest = v_digest
      and v_standing.arguments is not distinct from p_said ->> 'arguments' and (v_request.verdict is null or v_standing.decision_id = any (v_request.decision_ids)) then
      return v_answer || jsonb_build_object('decisionId', v_standing.decision_id);
    end if;
    -- A request that was handed on and is handed on again, to the same target by the same person: the first answer may have been lost.
    if v_kind = 'escalate' and v_request.verdict is null and v_request.assigned_to = v_to then
      select d.* into v_handed from holdpoint.decisions d where d.op_key = v_request.op_key and d.kind = 'escalate' and d.refused is null order by d.decision_id desc limit 1;
      if v_handed.identity = 'token:' || v_token.token_id and v_handed.digest = v_digest and v_handed.assigned_to = v_to then
        return v_answer || jsonb_build_object('decisionId', v_handed.decision_id);
      end if;
    end if;
  end if;
  v_refused := case
    when v_token.token_id is null then 'not_authenticated'
    when p_said ? 'malformed' or length(p_said ->> 'opKey') between 1 and 1100 is not true or (v_digest ~ '^[0-9a-f]{64}$') is not true
      or length(coalesce(p_said ->> 'comment', '')) > 2000 or v_kind = 'comment' and coalesce(p_said ->> 'comment', '') = ''
      or (v_kind = 'edit') <> (coalesce(p_said ->> 'arguments', '') <> '') or length(p_said ->> 'arguments') > 10000
      or (v_kind = 'escalate') <> (coalesce(v_to, '') <> '') or length(v_to) > 210 then 'malformed_decision'
    when (v_kind = any (v_token.scopes)) is not true then 'out_of_scope'
    when v_request.op_key is null then 'unknown_or_closed_request'
    when v_token.tools is not null and (v_request.tool = any (v_token.tools)) is not true then 'out_of_scope'
    when v_request.digest <> v_digest then 'stale_proposal'
    when holdpoint.is_listed(v_token.person, coalesce(v_policy.approvers, '{}')) is not true then 'not_authorised'
    when v_kind = 'comment' then null
    when holdpoint.is_proposer(v_token.person, v_request.proposer) then 'not_authorised'
    when v_request.assigned_to is not null and holdpoint.is_listed(v_token.person, array[v_request.assigned_to]) is not true then 'handed_on'
    when v_request.verdict not in ('expired', 'cancelled') then 'already_decided'
    when v_request.verdict = 'cancelled' or v_settled is not null and v_request.verdict is distinct from 'expired' then 'already_closed'
    when v_request.verdict = 'expired' or v_request.expires_at <= clock_timestamp() then 'proposal_expired'
    when v_standing.decision_id is not null then 'already_decided'
    when v_kind = 'escalate' and not holdpoint.can_be_handed_to(v_to, v_token.person, v_approved, v_request, v_policy) then 'unfit_handover'
    when v_kind = 'edit' and (select count(*) from holdpoint.approvals a where a.episode_id = v_request.episode_id and a.verdict = 'edit') >= 20 then 'too_many_edits'
  end;
  insert into holdpoint.decisions (op_key, digest, kind, person, identity, via, comment, arguments, assigned_to, refused)
  values (left(coalesce(p_said ->> 'opKey', ''), 1100), left(coalesce(v_digest, ''), 64), v_kind, coalesce(v_token.person, ''), coalesce('token:' || v_token.token_id, ''), p_said ->> 'via',
    left(coalesce(p_said ->> 'comment', ''), case when v_refused = 'malformed_decision' then 200 else 2000 end),
    left(p_said ->> 'arguments', case when v_refused = 'malformed_decision' then 200 else 10000 end), left(v_to, 210), v_refused)
  returning decision_id into v_id;
  if v_refused is not null then
    return jsonb_build_object('refused', v_refused, 'decisionId', v_id, 'person', coalesce(v_token.person, ''),
      'verdict', case when v_refused in ('already_decided', 'already_closed', 'proposal_expired') then coalesce(v_request.verdict, v_standing.kind) end,
      'by', case when v_refused in ('already_decided', 'already_closed', 'proposal_expired') then coalesce(v_request.decided_by, v_standing.person) end);
  end if;
  if v_kind = 'escalate' then
    update holdpoint.approvals a set assigned_to = v_to where a.op_key = v_request.op_key;
  end if;
  return v_answer || jsonb_build_object('decisionId', v_id, 'approvals', cardinality(v_approved) + (v_kind = 'approve' and v_token.person <> all (v_approved))::int);
end $$;

-- What an episode asks when it is told of a decision: whether it was let in, word for word, and who has approved by now. The answer is the database's alone, so
-- that whoever can reach the episode's door gains nothing by that. Null where it was not let in, or is refused by now.
create function holdpoint.admitted(p_id bigint, p_op_key text, p_digest text, p_kind text, p_person text, p_to text) returns jsonb
language sql stable security definer set search_path = pg_catalog as $$
  select jsonb_build_object('comment', d.comment, 'needed', coalesce(p.approvals_needed, 1), 'approvals', coalesce((
      select jsonb_agg(jsonb_build_object('decisionId', x.decision_id, 'by', x.person) order by x.decision_id) from (
        select distinct on (o.person) o.decision_id, o.person from holdpoint.decisions o
        where o.op_key = p_op_key and o.digest = p_digest and o.kind = 'approve' and holdpoint.stands(o, a.proposer, coalesce(p.approvers, '{}')) order by o.person, o.decision_id desc) x), '[]'))
  from holdpoint.decisions d join holdpoint.approvals a on a.op_key = d.op_key and a.digest = d.digest
  left join holdpoint.policies p on p.world_id = a.world_id and p.tool = a.tool
  where d.decision_id = p_id and d.op_key = p_op_key and d.digest = p_digest and d.kind = p_kind and d.person = p_person and d.refused is null and d.identity like 'token:%'
    and d.assigned_to is not distinct from p_to and (d.kind <> 'escalate' or a.assigned_to = d.assigned_to);
$$;

-- The episode did not take in what had been let in. One that stands is not touched; a hand-over that came too late leaves the request where it was before.
create function holdpoint.not_taken(p_id bigint, p_reason text) returns void
language plpgsql security definer set search_path = pg_catalog as $$
declare
  v_op_key text;
begin
  select d.op_key into v_op_key from holdpoint.decisions d where d.decision_id = p_id;
  perform 1 from holdpoint.approvals a where a.op_key = v_op_key for no key update;
  update holdpoint.decisions d set refused = p_reason where d.decision_id = p_id and d.refused is null and d.kind <> 'comment'
    and not exists (select from holdpoint.approvals a where a.op_key = d.op_key and p_id = any (a.decision_ids));
  if found then
    update holdpoint.approvals a set assigned_to = (
        select d.assigned_to from holdpoint.decisions d where d.op_key = v_op_key and d.kind = 'escalate' and d.refused is null order by d.decision_id desc limit 1)
      where a.op_key = v_op_key and exists (select from holdpoint.decisions d where d.decision_id = p_id and d.kind = 'escalate');
  end if;
end $$;

-- What was let in and may not have reached its episode, behind a decision's id: whoever has the worker's rights can deliver it again. The youngest are on their way.
create function holdpoint.undelivered(p_after bigint, p_older_than interval, p_limit int, out episode_id text, out said jsonb, out decides boolean) returns setof record
language sql stable security definer set search_path = pg_catalog as $$
  select a.episode_id, jsonb_build_object('opKey', d.op_key, 'digest', d.digest, 'verdict', d.kind, 'by', d.person, 'comment', d.comment, 'decisionId', d.decision_id)
      || case when d.assigned_to is null then '{}' else jsonb_build_object('to', d.assigned_to) end,
    d.kind in ('reject', 'edit') or d.kind = 'approve' and coalesce(p.approvals_needed, 1) <= (
      select count(distinct o.person) from holdpoint.decisions o where o.op_key = d.op_key and o.digest = d.digest and o.kind = 'approve' and holdpoint.stands(o, a.proposer, coalesce(p.approvers, '{}')))
  from holdpoint.approvals a join holdpoint.decisions d on d.op_key = a.op_key and d.digest = a.digest
  left join holdpoint.policies p on p.world_id = a.world_id and p.tool = a.tool
  where a.verdict is null and a.expires_at > clock_timestamp() and d.refused is null and d.decision_id > p_after and d.at < clock_timestamp() - p_older_than
    and (d.kind in ('approve', 'reject', 'edit') or d.kind = 'escalate' and d.assigned_to = a.assigned_to
      and not exists (select from holdpoint.decisions o where o.op_key = d.op_key and o.kind = 'escalate' and o.refused is null and o.decision_id > d.decision_id))
    and not exists (select from holdpoint.ledger l where l.op_key = a.op_key and l.verdict <> 'rejected')
  order by d.decision_id limit p_limit;
$$;

-- Notes that people were reminded of a request that still waits, once. Returns whether it does wait.
create function holdpoint.remind(p_op_key text) returns boolean
language plpgsql security definer set search_path = pg_catalog as $$
declare
  v_digest text;
begin
  select a.digest into v_digest from holdpoint.approvals a where a.op_key = p_op_key and a.verdict is null and a.expires_at > clock_timestamp() for no key update;
  if not found then
    return false;
  end if;
  insert into holdpoint.decisions (op_key, digest, kind, person, identity, via) values (p_op_key, v_digest, 'remind', 'engine', 'engine', 'engine') on conflict do nothing;
  return true;
end $$;

-- An authenticated "no" (a rejection, an edit) that was let in stands, although a bare word was faster at the episode's door: whoever records that word calls this
-- before, and finds the request decided. The caller holds the request's row.
create function holdpoint.record_heard_no(p_op_key text, p_digest text) returns void
language sql security definer set search_path = pg_catalog as $$
  update holdpoint.approvals a set verdict = d.kind, decided_by = d.person, via = d.via, comment = d.comment, decision_ids = array[d.decision_id], decided_at = clock_timestamp()
  from holdpoint.decisions d
  where a.op_key = p_op_key and a.digest = p_digest and a.verdict is null and d.op_key = a.op_key and d.digest = a.digest and d.kind in ('reject', 'edit') and d.refused is null
    and not exists (select from holdpoint.ledger s where s.op_key = p_op_key and s.verdict <> 'rejected');
$$;

-- Records the one decision of a request whose key is open; a key that is settled takes none. Ids that do not prove it leave it unauthenticated: recorded as what
-- a bare update says. Returns the verdict that stands, null where there is none: the caller compares it with its own.
drop function holdpoint.decide;
create function holdpoint.decide(p_op_key text, p_digest text, p_verdict text, p_by text, p_via text, p_comment text, p_decision_ids bigint[] default null) returns text
language plpgsql security definer set search_path = pg_catalog as $$
declare
  v_via text := p_via;
  v_ids bigint[] := p_decision_ids;
begin
  perform 1 from holdpoint.approvals a where a.op_key = p_op_key for no key update;
  if v_ids is not null then
    select d.via into v_via from holdpoint.decisions d where d.decision_id = any (v_ids) and d.op_key = p_op_key and d.digest = p_digest and d.kind = p_verdict
      and d.person = p_by and d.refused is null;
    if not found then
      v_via := 'update';
      v_ids := null;
    end if;
  end if;
  if v_ids is null and p_via in ('update', 'signal') then
    perform holdpoint.record_heard_no(p_op_key, p_digest);
  end if;
  update holdpoint.approvals a set verdict = p_verdict, decided_by = p_by, via = v_via, comment = p_comment, decision_ids = v_ids, decided_at = clock_timestamp()
    where a.op_key = p_op_key and a.digest = p_digest and a.verdict is null
      and not exists (select from holdpoint.ledger s where s.op_key = p_op_key and s.verdict <> 'rejected');
  return (select a.verdict from holdpoint.approvals a where a.op_key = p_op_key);
end $$;

-- What was let in and never reached its episode comes to nothing where the request ends without it: it is refused then, so that nothing reads as accepted. Words
-- that others were missing for (an approval before somebody's rejection) keep their word: they were counted. So does a hand-over, unless the episode did not know of it.
create function holdpoint.refuse_unheard() returns trigger language plpgsql security definer set search_path = pg_catalog as $$
begin
  update holdpoint.decisions d set refused = case new.verdict when 'expired' then 'proposal_expired' when 'cancelled' then 'already_closed' else 'already_decided' end
    where d.op_key = new.op_key and d.refused is null and d.decision_id <> all (coalesce(new.decision_ids, '{}'))
      and (d.kind in ('reject', 'edit') or d.kind = 'approve' and new.verdict in ('expired', 'cancelled', 'approve')
        or d.kind = 'escalate' and new.via in ('update', 'signal') and d.assigned_to = new.assigned_to and d.assigned_to <> new.decided_by);
  return null;
end $$;
-- The simulated approver decides where nobody is waited for.
create trigger unheard after update of verdict on holdpoint.approvals for each row when (new.via <> 'auto' or new.verdict in ('expired', 'cancelled')) execute function holdpoint.refuse_unheard();

revoke all on function holdpoint.stands, holdpoint.record_heard_no, holdpoint.admitted, holdpoint.is_listed, holdpoint.is_proposer, holdpoint.can_be_handed_to, holdpoint.bearer, holdpoint.lock_rights,
  holdpoint.approvals_stand, holdpoint.hear, holdpoint.not_taken, holdpoint.undelivered, holdpoint.remind, holdpoint.decide, holdpoint.refuse_other_words, holdpoint.refuse_unheard from public;
grant execute on function holdpoint.admitted, holdpoint.is_listed, holdpoint.bearer, holdpoint.hear, holdpoint.not_taken, holdpoint.undelivered, holdpoint.remind, holdpoint.decide to holdpoint_worker;
grant select on holdpoint.group_members, holdpoint.decisions to holdpoint_worker, holdpoint_reader;
grant select (token_id, person, scopes, tools, created_at, expires_at, revoked_at) on holdpoint.tokens to holdpoint_worker, holdpoint_reader;
