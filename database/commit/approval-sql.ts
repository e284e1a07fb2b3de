/** What every commit asks about its approval, as SQL that stands in each of their functions: one text, so that no kind of commit is easier to approve than another. */

/** Before any lock on rows: the decision that came along is recorded, and what the approvers' rights hang on is locked. */
export const takeDecision = `  -- A decision is final once made, so reading it needs no lock. None is recorded for a key that is settled: whoever settles holds the request's row, and
  -- only a statement after the wait for it sees what was settled meanwhile.
  if p_verdict is not null then
    perform 1 from holdpoint.approvals a where a.op_key = p_op_key for no key update;
    if p_decision_ids is null and p_via in ('update', 'signal') then
      perform holdpoint.record_heard_no(p_op_key, p_digest);
    end if;
    update holdpoint.approvals a set verdict = p_verdict, decided_by = p_by, comment = p_comment, decision_ids = p_decision_ids, decided_at = clock_timestamp(),
        via = case when p_decision_ids is null then p_via else coalesce((select d.via from holdpoint.decisions d where d.decision_id = any (p_decision_ids) and d.person = p_by limit 1), p_via) end
      where a.op_key = p_op_key and a.world_id = p_world and a.digest = p_digest and a.verdict is null
        and not exists (select from holdpoint.ledger s where s.op_key = p_op_key and s.verdict <> 'rejected');
  end if;

  -- What people may do is locked before the policy, which says what that is worth.
  if p_decision_ids is not null then
    perform holdpoint.lock_rights(p_decision_ids);
  end if;

`;

/** After the last lock: why the approval does not stand, as the first branches of a CASE over the evaluated variables and the locked `policy`. */
export const approvalCases = `    when v_settled = 'closed' then 'op_key_closed'
    when v_settled = 'committed' then 'payload_conflict'
    when v_approved is null then 'approval_missing'
    when v_approved_digest <> p_digest then 'stale_proposal'
    when v_approved = 'expired' then 'proposal_expired'
    when v_approved <> 'approve' then 'approval_rejected'
    when v_locked > v_expires_at then 'proposal_expired'
    when not v_all_there or v_epoch_found is null then 'entity_missing'
    -- Without proof: the simulated approver, or a name on the list where the policy lets that count. Rights that were not locked are none.
    when p_decision_ids is null and v_via is distinct from 'auto' and (policy.unauthenticated and policy.approvals_needed = 1) is not true then 'not_authenticated'
    when v_decision_ids is distinct from p_decision_ids or v_approver = v_proposer then 'not_authorised'
    when p_decision_ids is null and (v_approver = any (policy.approvers) and policy.approvals_needed = 1 and (v_via = 'auto' or v_approver <> 'auto')
      and v_approver not like 'group:%' and 'person:' || v_approver <> v_proposer) is not true then 'not_authorised'
    when p_decision_ids is not null
      and holdpoint.approvals_stand(p_op_key, p_digest, p_decision_ids, v_proposer, policy.approvers, policy.approvals_needed) is not true then 'not_authorised'
`;

/** The variables of both, and of the ledger row. */
export const approvalVariables = `  v_approved_digest text; v_approved text; v_approver text; v_approved_at timestamptz; v_proposer text; v_expires_at timestamptz;
  v_via text; v_decision_ids bigint[];
  v_settled holdpoint.ledger_verdict; v_settled_alike boolean;
  v_requested timestamptz;
  v_locked timestamptz;
`;

/** The parameters of a commit function: what commitQuery sends. */
export const commitParameters = `  p_world bigint, p_op_key text, p_digest text, p_args jsonb, p_guard text, p_without text[], p_versions bigint[], p_epoch bigint, p_attempt int,
  p_verdict text, p_by text, p_via text, p_comment text, p_decision_ids bigint[])`;
