/**
 * SHA-256 (FIPS 180-4) of a short ASCII text. By hand, because every workflow evaluates its modules anew, and a library of all digests would cost each episode
 * more than the rest of its code; a test holds it to the library.
 */

/** 64 lower-case hexadecimal digits. @throws RangeError for a text that is not ASCII */
export function sha256Hex(text: string): string {
  const bits = text.length * 8;
  const words = new Uint32Array((((text.length + 8) >> 6) + 1) * 16);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 127) throw new RangeError('Only ASCII text is digested here.');
    words[at >> 2] = (words[at >> 2] ?? 0) | (code << (24 - (at % 4) * 8));
  }
  words[text.length >> 2] = (words[text.length >> 2] ?? 0) | (0x80 << (24 - (text.length % 4) * 8));
  words[words.length - 1] = bits;
  const { roundConstants, state } = constants();
  for (let block = 0; block < words.length; block += 16) mix(state, words.subarray(block, block + 16), roundConstants);
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fractional parts of the square and cube roots of the first primes (sections 4.2.2 and 5.3.3). */
function constants(): { roundConstants: Uint32Array; state: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number): number => (root - Math.floor(root)) * 2 ** 32;
  return { roundConstants: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))), state: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))) };
}

/** One block (section 6.2.2). Typed arrays keep every sum within 32 bits. */
function mix(state: Uint32Array, block: Uint32Array, roundConstants: Uint32Array): void {
  const turn = (x: number, by: number): number => (x >>> by) | (x << (32 - by));
  const w = new Uint32Array(64);
  w.set(block);
  for (let i = 16; i < 64; i += 1) {
    const [far = 0, near = 0] = [w[i - 15], w[i - 2]];
    w[i] = (w[i - 16] ?? 0) + (turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)) + (w[i - 7] ?? 0) + (turn(near, 17) ^ turn(near, 19) ^ (near >>> 10));
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + (roundConstants[i] ?? 0) + (w[i] ?? 0)) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => { state[at] = (state[at] ?? 0) + word; });
}
