/** The reducer of decisions: what is refused, why, and that the first accepted one wins. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decision } from '../../contract/approval.ts';
import { idle, judge, type HoldState } from '../../workflows/decision-reducer.ts';
import { readDecision } from '../../workflows/read-decision.ts';

const digest = 'a'.repeat(64);
const held: HoldState = { request: { opKey: 'e:2', digest, approvers: ['supervisor', 'ana', 'agent:m'], proposer: 'agent:m' }, approvals: [], decided: null, closed: false };
const approve: Decision = { opKey: 'e:2', digest, verdict: 'approve', by: 'supervisor', comment: '' };

function reasonOf(state: HoldState, decision: unknown): string {
  const judgement = judge(state, decision, 'update');
  return 'refused' in judgement ? judgement.refused.reason : 'accepted';
}

test('the first decision is recorded with its channel, and the second refused with who was first', () => {
  const first = judge(held, approve, 'signal');
  if (!('accepted' in first)) throw new Error('refused');
  expect(first.state.decided).toEqual({ ...approve, via: 'signal' });
  const second = judge(first.state, { ...approve, by: 'ana', verdict: 'reject' }, 'update');
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
  const judgement = judge(held, said, 'update');
  said.by = 'mallory';
  expect('accepted' in judgement && judgement.accepted.by).toBe('supervisor');
  expect(held.decided).toBeNull();
});

test('the reader written by hand takes exactly what the schema takes', () => {
  const text = fc.oneof(fc.string({ maxLength: 320 }), fc.constantFrom('e:1', '', digest, 'approve', 'reject'));
  const other = fc.oneof(text, fc.integer(), fc.constant(null), fc.constant(undefined));
  const near = fc.record({ opKey: text, digest: fc.constantFrom(digest, 'A'.repeat(64), 'a'.repeat(63)), verdict: fc.constantFrom('approve', 'reject', 'expired'), by: text, comment: other, extra: other }, { requiredKeys: [] });
  fc.assert(fc.property(fc.oneof(near, other, fc.constant(approve), fc.array(text)), (raw) => {
    const byHand = readDecision(raw);
    const bySchema = Decision.safeParse(raw);
    expect(typeof byHand !== 'string').toBe(bySchema.success);
    if (bySchema.success) expect(byHand).toEqual(bySchema.data);
  }), { numRuns: 2_000 });
});
