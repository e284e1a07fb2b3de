/** The reducer of decisions: what is refused, why, and that the first accepted one wins. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decision, type Admitted } from '../../contract/approval.ts';
import { idle, judge, type HoldState } from '../../workflows/decision-reducer.ts';
import { readDecision } from '../../workflows/read-decision.ts';

const digest = 'a'.repeat(64);
const held: HoldState = { request: { opKey: 'e:2', digest, approvers: ['supervisor', 'ana', 'agent:m'], proposer: 'agent:m' }, approvals: [], decided: null, closed: false };
const approve: Decision = { opKey: 'e:2', digest, verdict: 'approve', by: 'supervisor', comment: '' };

function reasonOf(state: HoldState, decision: unknown, admitted?: Admitted | null): string {
  const judgement = judge(state, decision, { via: 'update', ...(admitted !== undefined && { admitted }) });
  return 'refused' in judgement ? judgement.refused.reason : 'asks' in judgement ? 'asks' : 'accepted';
}

test('the first decision is recorded with its channel, and the second refused with who was first', () => {
  const first = judge(held, approve, { via: 'signal' });
  if (!('accepted' in first)) throw new Error('refused');
  expect(first.state.decided).toEqual({ ...approve, via: 'signal' });
  const second = judge(first.state, { ...approve, by: 'ana', verdict: 'reject' }, { via: 'update' });
  expect(second).toEqual({ refused: { reason: 'already_decided', message: 'Decided already: approve by supervisor (signal).' } });
});

test.each([
  ['another step', { ...approve, opKey: 'e:1' }, 'unknown_or_closed_request'],
  ['another episode', { ...approve, opKey: 'f:2' }, 'unknown_or_closed_request'],
  ['another digest', { ...approve, digest: 'b'.repeat(64) }, 'stale_proposal'],
  ['the proposer, though it is on the list', { ...approve, by: 'agent:m' }, 'not_authorised'],
  ['an unknown name', { ...approve, by: 'mallory' }, 'not_authorised'],
  ['another case', { ...approve, by: 'Supervisor' }, 'not_authorised'],
  ['a trailing space', { ...approve, by: 'supervisor ' }, 'not_authorised'],
  ['a Cyrillic a', { ...approve, by: '\u0430na' }, 'not_authorised'],
  ['an empty name', { ...approve, by: '' }, 'malformed_decision'],
  ['an unknown verdict', { ...approve, verdict: 'maybe' }, 'malformed_decision'],
  ['an extra key, such as edited arguments', { ...approve, arguments: { amount: 1000 } }, 'malformed_decision'],
  ['nothing at all', undefined, 'malformed_decision'],
  ['a number', 7, 'malformed_decision'],
])('%s is refused', (_, decision, reason) => {
  expect(reasonOf(held, decision)).toBe(reason);
});

test('before a request and after the end nothing is accepted', () => {
  expect(reasonOf(idle, approve)).toBe('unknown_or_closed_request');
  expect(reasonOf({ ...held, closed: true }, approve)).toBe('already_closed');
});

test('a refusal leaves the state as it was, and the caller cannot change a recorded decision afterwards', () => {
  const said = { ...approve };
  const judgement = judge(held, said, { via: 'update' });
  said.by = 'mallory';
  expect('accepted' in judgement && judgement.accepted.by).toBe('supervisor');
  expect(held.decided).toBeNull();
});

test('the reader written by hand takes exactly what the schema takes', () => {
  const text = fc.oneof(fc.string({ maxLength: 320 }), fc.constantFrom('e:1', '', digest, 'approve', 'reject'));
  const other = fc.oneof(text, fc.integer(), fc.constant(null), fc.constant(undefined));
  const near = fc.record({ opKey: text, digest: fc.constantFrom(digest, 'A'.repeat(64), 'a'.repeat(63)), verdict: fc.constantFrom('approve', 'reject', 'edit', 'escalate', 'expired'), by: text, comment: other, to: text, decisionId: fc.constantFrom(1, 0, 1.5, 2 ** 53, '1'), proof: other, extra: other }, { requiredKeys: [] });
  fc.assert(fc.property(fc.oneof(near, other, fc.constant(approve), fc.array(text)), (raw) => {
    const byHand = readDecision(raw);
    const bySchema = Decision.safeParse(raw);
    expect(typeof byHand !== 'string').toBe(bySchema.success);
    if (bySchema.success) expect(byHand).toEqual(bySchema.data);
  }), { numRuns: 2_000 });
});

describe('let in by the database', () => {
  const guarded: HoldState = { ...held, request: held.request && { ...held.request, unauthenticated: false } };
  const heard = (verdict: Decision['verdict'], decisionId: number, more: Partial<Decision> = {}): Decision => ({ ...approve, verdict, decisionId, ...more });
  const standing = (needed: number, ...approvals: readonly (readonly [number, string])[]): Admitted => ({ comment: 'as it was let in', needed, approvals: approvals.map(([decisionId, by]) => ({ decisionId, by })) });
  const after = (state: HoldState, decision: Decision, admitted: Admitted): HoldState => {
    const judgement = judge(state, decision, { via: 'update', admitted });
    if (!('accepted' in judgement)) throw new Error(JSON.stringify(judgement));
    return judgement.state;
  };

  test('the database is asked first, and what it says counts: the name need not be on the list', () => {
    const said = heard('approve', 7, { by: 'carl of ops' });
    expect(judge(guarded, said, { via: 'update' })).toEqual({ asks: said });
    expect(after(guarded, said, standing(1, [7, 'carl of ops'])).decided).toMatchObject({ verdict: 'approve', by: 'carl of ops', decisionIds: [7] });
  });

  test.each<{ what: string; decision: unknown; admitted?: Admitted | null; reason: string }>([
    { what: 'a name without proof', decision: approve, reason: 'not_authenticated' },
    { what: 'what the database did not let in', decision: heard('approve', 7), admitted: null, reason: 'not_authenticated' },
    { what: 'an approval whose right was withdrawn', decision: heard('approve', 7), admitted: standing(2, [6, 'ana']), reason: 'not_authorised' },
    { what: 'an edit that proves nothing', decision: { ...approve, verdict: 'edit' }, reason: 'not_authenticated' },
    { what: 'an escalation that proves nothing', decision: { ...approve, verdict: 'escalate', to: 'ana' }, reason: 'not_authenticated' },
    { what: 'an escalation to nobody', decision: heard('escalate', 7), admitted: standing(1), reason: 'malformed_decision' },
    { what: 'the proposer, before anybody is asked', decision: heard('approve', 7, { by: 'agent:m' }), reason: 'not_authorised' },
    { what: 'another digest, before anybody is asked', decision: heard('approve', 7, { digest: 'b'.repeat(64) }), reason: 'stale_proposal' },
  ])('$what is refused', ({ decision, admitted, reason }) => {
    expect(reasonOf(guarded, decision, admitted)).toBe(reason);
  });

  test('a signal with the database\'s id is a name without proof: nobody could be told the answer', () => {
    expect(judge(held, heard('approve', 7), { via: 'signal' })).toMatchObject({ refused: { reason: 'not_authenticated' } });
  });

  test('who edited a proposal cannot approve it, heard or not', () => {
    const edited: HoldState = { ...held, request: held.request && { ...held.request, proposer: 'person:ana' } };
    expect([reasonOf(edited, { ...approve, by: 'ana' }), reasonOf(edited, heard('approve', 7, { by: 'ana' })), reasonOf(edited, approve)]).toEqual(['not_authorised', 'not_authorised', 'accepted']);
  });

  test('as many must approve as the database says at that moment, and those count whose approvals stand then', () => {
    const one = after(guarded, heard('approve', 1, { by: 'ana' }), standing(2, [1, 'ana']));
    expect([one.decided, one.approvals.length, one.request?.needed]).toEqual([null, 1, 2]);
    expect(after(one, heard('approve', 3, { by: 'bob' }), standing(2, [1, 'ana'], [3, 'bob'])).decided).toMatchObject({ by: 'bob', decisionIds: [1, 3] });
    expect(after(one, heard('approve', 3, { by: 'bob' }), standing(2, [3, 'bob'])).decided).toBeNull(); // ana's right was withdrawn meanwhile
    expect(after(one, heard('approve', 3, { by: 'bob' }), standing(1, [3, 'bob'])).decided).toMatchObject({ by: 'bob', decisionIds: [3] });
    expect(after(one, heard('reject', 4, { by: 'bob' }), standing(2, [1, 'ana'])).decided).toMatchObject({ verdict: 'reject', decisionIds: [4] });
    expect(reasonOf({ ...held, request: held.request && { ...held.request, needed: 2 } }, approve)).toBe('not_authenticated');
  });

  test('the same delivery again is accepted and changes nothing, another decision is refused with who was first', () => {
    const decided = after(guarded, heard('approve', 7, { by: 'ana' }), standing(1, [7, 'ana']));
    expect(after(decided, heard('approve', 7, { by: 'ana' }), standing(1, [7, 'ana']))).toBe(decided);
    expect(judge(decided, heard('reject', 8, { by: 'bob' }), { via: 'update', admitted: standing(1, [7, 'ana']) })).toEqual({ refused: { reason: 'already_decided', message: 'Decided already: approve by ana (authenticated).' } });
  });

  test('an approval that is brought again decides where fewer are needed by now', () => {
    const one = after(guarded, heard('approve', 1, { by: 'ana' }), standing(2, [1, 'ana']));
    expect(after(one, heard('approve', 1, { by: 'ana' }), standing(2, [1, 'ana'])).decided).toBeNull();
    expect(after(one, heard('approve', 1, { by: 'ana' }), standing(1, [1, 'ana'])).decided).toMatchObject({ by: 'ana', decisionIds: [1] });
  });

  test('the words are those that the database let in, whoever brings the decision', () => {
    expect(after(guarded, heard('reject', 7, { comment: 'forged' }), standing(1)).decided).toMatchObject({ comment: 'as it was let in' });
  });

  test('an escalation leaves the request open, for the person alone where nothing proves who speaks', () => {
    const handedOn = after(held, heard('escalate', 1, { by: 'ana', to: 'supervisor' }), standing(1));
    expect(handedOn.decided).toBeNull();
    expect([reasonOf(handedOn, { ...approve, by: 'ana' }), reasonOf(handedOn, approve)]).toEqual(['handed_on', 'accepted']);
    expect(reasonOf(after(held, heard('escalate', 1, { by: 'ana', to: 'group:ops' }), standing(1)), approve)).toBe('handed_on');
  });
});

test('nobody but the simulated approver speaks in its name, and nobody in a group\'s', () => {
  const state: HoldState = { ...held, request: held.request && { ...held.request, approvers: ['auto', 'group:ops'] } };
  expect([reasonOf(state, { ...approve, by: 'auto' }), reasonOf(state, { ...approve, by: 'group:ops' })]).toEqual(['not_authorised', 'not_authorised']);
  expect(judge(state, { ...approve, by: 'auto' }, { via: 'auto' })).toHaveProperty('accepted');
});
