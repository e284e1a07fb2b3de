/** Parsing untrusted replies: every way to be wrong has its own reason, and nothing is repaired, coerced or guessed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseReply, type Parsed, type RawReply } from '../../activities/model/parse-reply.ts';
import { scanJson } from '../../activities/model/scan-json.ts';
import { fromStored, toStored } from '../../activities/model/stored-text.ts';
import { isReason } from '../../contract/failures.ts';
import { Reply } from '../../contract/proposal.ts';
import { changeDeliveryAddress } from '../../guards/tools/orders/change-delivery-address.ts';
import { recordInvoice } from '../../guards/tools/billing/record-invoice.ts';

const asked = { contract: recordInvoice, keys: { purchaseOrderId: 'po-1' } };
const good = { decision: 'act', tool: 'record_invoice', arguments: { purchaseOrderId: 'po-1', invoiceNumber: 'INV-1', amountCents: 300 }, confidence: 0.8 };
const raw = (content: string, more: Partial<RawReply> = {}): RawReply => ({ content, thinking: '', doneReason: 'stop', ...more });
const parse = (value: unknown, more: Partial<RawReply> = {}): Parsed => parseReply(raw(typeof value === 'string' ? value : JSON.stringify(value), more), asked);
const text = JSON.stringify(good);

/** The good reply with one piece of its text replaced, so that literals survive that JSON.stringify would not write. */
function withText(from: string, to: string): Parsed {
  expect(text).toContain(from);
  return parse(text.replace(from, to));
}

test('a good reply is accepted as it is, white space around it too', () => {
  expect(parse(good)).toEqual({ ok: good });
  expect(parse(`\n  ${text} \n`)).toEqual({ ok: good });
  expect(Reply.parse((parse(good) as { ok: unknown }).ok)).toEqual(good);
});

describe('the confidence (numbers out of scale)', () => {
  test.each(['85', '"0.85"', 'null', '""', 'true', '1.0000000001', '1e400', '-0.05', '[]'])('%s is out of scale', (literal) => {
    expect(withText('"confidence":0.8', `"confidence":${literal}`)).toMatchObject({ failure: 'confidence_out_of_scale' });
  });
  test('-0 is accepted and stored as 0', () => {
    const parsed = withText('"confidence":0.8', '"confidence":-0') as { ok: Reply };
    expect(Object.is(parsed.ok.confidence, 0)).toBe(true);
  });
  test('NaN is no JSON at all', () => {
    expect(withText('"confidence":0.8', '"confidence":NaN')).toMatchObject({ failure: 'not_json' });
  });
  test('absent, it stays absent', () => {
    expect(Object.hasOwn((withText(',"confidence":0.8', '') as { ok: Reply }).ok, 'confidence')).toBe(false);
  });
  test('a number between two steps has not the asked form', () => {
    expect(withText('"confidence":0.8', '"confidence":0.87')).toEqual({ failure: 'schema_violation', detail: 'confidence: must be a step of 0.05' });
  });
  test('every step is accepted', () => {
    for (let step = 0; step <= 20; step += 1) expect(parse({ ...good, confidence: Number((step * 0.05).toFixed(2)) })).toHaveProperty('ok');
  });
});

describe('cut replies (done_reason before parsing)', () => {
  test.each(['length', 'load', 'unload', '', 'cut', 'STOP'])('done_reason "%s" is truncated even where the text is a valid reply', (doneReason) => {
    expect(parse(good, { doneReason })).toMatchObject({ failure: 'model_truncated' });
  });
  test('a cut text is never closed by us', () => {
    for (let end = 1; end < text.length; end += 1) expect(parse(text.slice(0, end))).toMatchObject({ failure: 'not_json' });
  });
});

describe('thinking models and other wrappings', () => {
  test('empty content is empty, and the thinking text is not searched', () => {
    expect(parse('', { thinking: text })).toMatchObject({ failure: 'empty_content' });
    expect(parse(' \n\t ', { thinking: text })).toMatchObject({ failure: 'empty_content' });
  });
  test.each([
    ['think tags', `<think>${text}</think>${text}`],
    ['a code fence', `\`\`\`json\n${text}\n\`\`\``],
    ['two objects', `${text}${text}`],
    ['two objects on two lines', `${text}\n${text}`],
    ['words before', `Sure! ${text}`],
    ['a byte order mark', `\uFEFF${text}`],
    ['single quotes', text.replaceAll('"', "'")],
    ['a comment', `${text} // done`],
  ])('%s is not one JSON value', (_, content) => {
    expect(parse(content)).toMatchObject({ failure: 'not_json' });
  });
  test.each(['[]', 'null', '3', '"act"', `[${text}]`])('%s is JSON but no reply', (content) => {
    expect(parse(content)).toMatchObject({ failure: 'schema_violation' });
  });
});

describe('duplicate keys', () => {
  test.each([
    ['decision', text.replace('{', '{"decision":"abstain",')],
    ['arguments.amountCents', text.replace('"amountCents":300', '"amountCents":1,"amountCents":300')],
    ['decision', text.replace('{', '{"\\u0064ecision":"abstain",')],
  ])('%s named twice is refused', (path, content) => {
    expect(parse(content)).toEqual({ failure: 'duplicate_key', detail: path });
  });
  test('the same key in two objects, or in a text, is none', () => {
    expect(scanJson('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"{\\"a\\":1,\\"a\\":2}"}').duplicate).toBeNull();
  });
});

describe('the form, with a path', () => {
  test.each([
    ['trailing space in an enum', '"decision":"act"', '"decision":"act "', 'schema_violation', 'decision'],
    ['other case in an enum', '"decision":"act"', '"decision":"Act"', 'schema_violation', 'decision'],
    ['3.0 for an integer', '"amountCents":300', '"amountCents":300.0', 'schema_violation', 'arguments.amountCents'],
    ['3e2 for an integer', '"amountCents":300', '"amountCents":3e2', 'schema_violation', 'arguments.amountCents'],
    ['3.5 for an integer', '"amountCents":300', '"amountCents":3.5', 'schema_violation', 'arguments.amountCents'],
    ['an amount of nothing', '"amountCents":300', '"amountCents":0', 'schema_violation', 'arguments.amountCents'],
    ['a negative amount', '"amountCents":300', '"amountCents":-300', 'schema_violation', 'arguments.amountCents'],
    ['a text for an integer', '"amountCents":300', '"amountCents":"300"', 'schema_violation', 'arguments.amountCents'],
    ['an integer that JavaScript cannot hold', '"amountCents":300', '"amountCents":9007199254740993', 'schema_violation', 'arguments.amountCents'],
    ['a number for a text', '"invoiceNumber":"INV-1"', '"invoiceNumber":1', 'schema_violation', 'arguments.invoiceNumber'],
    ['an empty text', '"invoiceNumber":"INV-1"', '"invoiceNumber":""', 'schema_violation', 'arguments.invoiceNumber'],
    ['nothing but spaces', '"invoiceNumber":"INV-1"', '"invoiceNumber":"  "', 'schema_violation', 'arguments.invoiceNumber'],
    ['41 characters of at most 40', '"invoiceNumber":"INV-1"', `"invoiceNumber":"${'9'.repeat(41)}"`, 'schema_violation', 'arguments.invoiceNumber'],
    ['a NUL in a text', '"invoiceNumber":"INV-1"', '"invoiceNumber":"a\\u0000"', 'schema_violation', 'arguments.invoiceNumber'],
    ['half a surrogate pair', '"invoiceNumber":"INV-1"', '"invoiceNumber":"\\ud800"', 'schema_violation', 'arguments.invoiceNumber'],
    ['a missing key', '"invoiceNumber":"INV-1",', '', 'schema_violation', 'arguments.invoiceNumber'],
    ['an extra argument', '"amountCents":300', '"amountCents":300,"amount_override":1', 'schema_violation', 'arguments.amount_override'],
    ['an extra key', '"confidence":0.8', '"confidence":0.8,"note":"x"', 'schema_violation', 'reply.note'],
    ['__proto__ as a key', '"confidence":0.8', '"confidence":0.8,"__proto__":{}', 'schema_violation', 'reply.__proto__'],
    ['arguments as a list', '"arguments":{', '"arguments":[{', 'not_json', ''],
    ['null for arguments', text.slice(text.indexOf('{"purchaseOrderId'), text.indexOf('},"confidence') + 1), 'null', 'schema_violation', 'arguments'],
    ['no tool', '"tool":"record_invoice",', '', 'schema_violation', 'tool'],
    ['no decision', '"decision":"act",', '', 'schema_violation', 'decision'],
    ['the tool in other case', '"record_invoice"', '"Record_Invoice"', 'unknown_tool', ''],
    ['act with no tool', '"record_invoice"', '"none"', 'unknown_tool', ''],
    ['a tool that was not offered', '"record_invoice"', '"grant_role"', 'unknown_tool', ''],
    ['a row that was not read', '"po-1"', '"po-2"', 'unread_entity', 'arguments.purchaseOrderId'],
    ['a read row with a trailing space', '"po-1"', '"po-1 "', 'unread_entity', 'arguments.purchaseOrderId'],
    ['a read row in other case', '"po-1"', '"PO-1"', 'unread_entity', 'arguments.purchaseOrderId'],
  ])('%s is refused', (...row) => {
    const [, from, to, failure, path] = row;
    const parsed = withText(from, to);
    expect(parsed).toMatchObject({ failure });
    expect((parsed as { detail: string }).detail).toContain(path);
  });
});

test('an abstention is one whatever tool and arguments hold, but its confidence and its keys count', () => {
  expect(parse({ decision: 'abstain', confidence: 0.5 })).toEqual({ ok: { decision: 'abstain', confidence: 0.5 } });
  expect(parse({ ...good, decision: 'abstain', tool: 'anything', arguments: 7 })).toEqual({ ok: { decision: 'abstain', confidence: 0.8 } });
  expect(parse({ decision: 'abstain', confidence: 7 })).toMatchObject({ failure: 'confidence_out_of_scale' });
  expect(parse({ decision: 'abstain', sorry: true })).toMatchObject({ failure: 'schema_violation' });
});

test('an address of any script is kept letter by letter', () => {
  const address = 'Čs. armády 12, 160 00 Praha 6 – Žižkov 🏠';
  const reply = { decision: 'act', tool: 'change_delivery_address', arguments: { orderId: 'o', newAddress: address } };
  expect(parseReply(raw(JSON.stringify(reply)), { contract: changeDeliveryAddress, keys: { orderId: 'o' } })).toEqual({ ok: reply });
});

test('whatever text comes, there is a reply of the asked form or a reason of the registry, and details hold no control character', () => {
  const content = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.array(fc.constantFrom(...text.split(/(?=[{}[\]:,"])/)), { maxLength: 30 }).map((parts) => parts.join('')));
  fc.assert(
    fc.property(content, (any) => {
      const parsed = parse(any);
      if ('ok' in parsed) Reply.parse(parsed.ok);
      else {
        expect(isReason(parsed.failure)).toBe(true);
        expect(parsed.detail).not.toMatch(/\p{Cc}/u);
      }
    }),
    { numRuns: 500 },
  );
});

test('the scan agrees with JSON.parse on every value without a duplicate key', () => {
  fc.assert(fc.property(fc.json(), (json) => { expect(scanJson(json).duplicate).toBeNull(); }), { numRuns: 300 });
});

test('a stored text comes back unit for unit, and is stored as it is where it can be', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (any) => { expect(fromStored(toStored(any))).toBe(any); }));
  for (const any of ['a\0b', '\ud800', 'escaped:', 'escaped:"x"', '']) expect(fromStored(toStored(any))).toBe(any);
  expect(toStored('a\0b')).not.toContain('\0');
  expect(toStored(text)).toBe(text);
});
