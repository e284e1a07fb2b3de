/** The one canonical form of a JSON value and its digest: what was shown, approved and committed is compared by it. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalizeJson from 'canonicalize';

/** Anything JSON can say. Numbers must be finite; ids beyond 2^53 travel as strings. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The canonical text of a value: RFC 8785 (JSON Canonicalization Scheme): keys sorted by UTF-16 code units, no white space.
 * @throws RangeError for an integer that JavaScript cannot hold exactly: it would be another number after a round trip.
 */
export function canonicalText(value: Json): string {
  refuseInexact(value);
  const text = canonicalizeJson(value);
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return text;
}

/** SHA-256 of the canonical text, as 64 lower-case hexadecimal digits. */
export function digestOf(value: Json): string {
  return digestOfText(canonicalText(value));
}

/** SHA-256 of a text's UTF-8 bytes, as 64 lower-case hexadecimal digits. */
export function digestOfText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

function refuseInexact(value: Json): void {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new RangeError(`${String(value)} is beyond 2^53: send it as a string.`);
  if (typeof value === 'object' && value !== null) for (const part of Object.values<Json>(value as Record<string, Json>)) refuseInexact(part);
}
