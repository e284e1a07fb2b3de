/** The reducer of decisions: what is refused, why, and that the first accepted one wins. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decision } from '../../contract/approval.ts';
import { digestOfText } from '../../contract/digest.ts';
import { idle, judge, type HoldState } from '../../workflows/decision-reducer.ts';
import { readDecision } from '../../workflows/read-decision.ts';
import { sha256Hex } from '../../workflows/sha256.ts';

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
  const near = fc.record({ opKey: text, digest: fc.constantFrom(digest, 'A'.repeat(64), 'a'.repeat(63)), verdict: fc.constantFrom('approve', 'reject', 'edit', 'escalate', 'expired'), by: text, comment: other, to: text, decisionId: fc.constantFrom(1, 0, 1.5, 2 ** 53, '1'), proof: fc.constantFrom(digest, 'x', 7), extra: other }, { requiredKeys: [] });
  fc.assert(fc.property(fc.oneof(near, other, fc.constant(approve), fc.array(text)), (raw) => {
    const byHand = readDecision(raw);
    const bySchema = Decision.safeParse(raw);
    expect(typeof byHand !== 'string').toBe(bySchema.success);
    if (bySchema.success) expect(byHand).toEqual(bySchema.data);
  }), { numRuns: 2_000 });
});

describe('with proof', () => {
  const proofs = { approve: '1'.repeat(64), reject: '2'.repeat(64), edit: '3'.repeat(64), escalate: '4'.repeat(64) };
  const proofHashes = Object.fromEntries(Object.entries(proofs).map(([verdict, proof]) => [verdict, digestOfText(proof)]));
  const guarded: HoldState = { ...held, request: held.request && { ...held.request, proofHashes, unauthenticated: false } };
  const twice: HoldState = { ...guarded, request: guarded.request && { ...guarded.request, needed: 2 } };
  const proved = (verdict: keyof typeof proofs, decisionId: number, more: Partial<Decision> = {}): Decision => ({ ...approve, verdict, decisionId, proof: proofs[verdict], ...more });
  const after = (state: HoldState, ...decisions: Decision[]): HoldState => decisions.reduce((before, decision) => {
    const judgement = judge(before, decision, 'update');
    if ('refused' in judgement) throw new Error(judgement.refused.reason);
    return judgement.state;
  }, state);

  test('the name need not be on the list: the database looked', () => {
    expect(after(guarded, proved('approve', 7, { by: 'carl of ops' })).decided).toMatchObject({ verdict: 'approve', by: 'carl of ops', decisionIds: [7] });
  });

  test.each([
    ['no proof', approve, 'not_authenticated'],
    ['another kind\'s proof', { ...proved('approve', 7), proof: proofs.reject }, 'not_authenticated'],
    ['a proof without the database\'s id', { ...approve, proof: proofs.approve }, 'not_authenticated'],
    ['an id without a proof', { ...approve, decisionId: 7 }, 'not_authenticated'],
    ['an edit that proves nothing', { ...approve, verdict: 'edit' }, 'not_authenticated'],
    ['an escalation that proves nothing', { ...approve, verdict: 'escalate', to: 'ana' }, 'not_authenticated'],
    ['an escalation to nobody', proved('escalate', 7), 'malformed_decision'],
    ['the proposer', proved('approve', 7, { by: 'agent:m' }), 'not_authorised'],
  ])('%s is refused', (_, decision, reason) => {
    expect(reasonOf(guarded, decision)).toBe(reason);
  });

  test('who edited a proposal cannot approve it, proof or none', () => {
    const edited: HoldState = { ...held, request: held.request && { ...held.request, proposer: 'person:ana', proofHashes } };
    expect([reasonOf(edited, { ...approve, by: 'ana' }), reasonOf(edited, proved('approve', 7, { by: 'ana' })), reasonOf(edited, approve)]).toEqual(['not_authorised', 'not_authorised', 'accepted']);
  });

  test('two different people approve where two are needed, and one of them twice is one', () => {
    const one = after(twice, proved('approve', 1, { by: 'ana' }), proved('approve', 2, { by: 'ana' }));
    expect([one.decided, one.approvals.length]).toEqual([null, 1]);
    expect(after(one, proved('approve', 3, { by: 'bob' })).decided).toMatchObject({ by: 'bob', decisionIds: [2, 3] });
    expect(after(one, proved('reject', 4, { by: 'bob' })).decided).toMatchObject({ verdict: 'reject', decisionIds: [4] });
    expect([reasonOf(twice, approve), reasonOf({ ...twice, request: twice.request && { ...twice.request, unauthenticated: true } }, approve)]).toEqual(['not_authenticated', 'not_authenticated']);
  });

  test('the same delivery again is accepted and changes nothing, another decision is refused with who was first', () => {
    const decided = after(guarded, proved('approve', 7, { by: 'ana' }));
    expect(after(decided, proved('approve', 7, { by: 'ana' }))).toBe(decided);
    const one = after(twice, proved('approve', 1, { by: 'ana' }));
    expect(after(one, proved('approve', 1, { by: 'ana' }))).toBe(one);
    expect(judge(decided, proved('reject', 8, { by: 'bob' }), 'update')).toEqual({ refused: { reason: 'already_decided', message: 'Decided already: approve by ana (authenticated).' } });
  });

  test('an escalation leaves the request open, for the person alone where nothing proves who speaks', () => {
    const open: HoldState = { ...held, request: held.request && { ...held.request, proofHashes } };
    const handedOn = after(open, proved('escalate', 1, { by: 'ana', to: 'supervisor' }));
    expect(handedOn.decided).toBeNull();
    expect([reasonOf(handedOn, { ...approve, by: 'ana' }), reasonOf(handedOn, approve)]).toEqual(['not_authorised', 'accepted']);
    expect(reasonOf(after(open, proved('escalate', 1, { by: 'ana', to: 'group:ops' })), approve)).toBe('not_authorised');
  });
});

test('nobody but the simulated approver speaks in its name, and nobody in a group\'s', () => {
  const state: HoldState = { ...held, request: held.request && { ...held.request, approvers: ['auto', 'group:ops'] } };
  expect([reasonOf(state, { ...approve, by: 'auto' }), reasonOf(state, { ...approve, by: 'group:ops' })]).toEqual(['not_authorised', 'not_authorised']);
  expect(judge(state, { ...approve, by: 'auto' }, 'auto')).toHaveProperty('accepted');
});

test('the digest written by hand is the library\'s', () => {
  fc.assert(fc.property(fc.string({ unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)), maxLength: 300 }), (text) => {
    expect(sha256Hex(text)).toBe(digestOfText(text));
  }));
  expect(() => sha256Hex('\u00e9')).toThrow(RangeError);
});
