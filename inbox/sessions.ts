/** Who is signed in: an id in the browser's cookie, the token's digest here, in this process's memory only. */
import { createHash, randomBytes } from 'node:crypto';

/** A session lasts this long at most, in milliseconds; the token's own end comes first where it is earlier, because it is looked up at every request. */
const lifetimeMs = 12 * 3_600_000;
/** Sessions at once; the oldest gives way. */
const most = 1_000;

/** Sessions of one server. An end of the process ends them all. */
export type Sessions = {
  /** @returns the new session's id, 256 random bits: never one that the browser brought along */
  open(tokenHash: string): string;
  /** The token's SHA-256, or undefined where there is no such session. */
  tokenOf(id: string): string | undefined;
  close(id: string): void;
};

/** `nowMs`: for tests. */
export function createSessions(nowMs: () => number = Date.now): Sessions {
  const byId = new Map<string, { tokenHash: string; untilMs: number }>();
  // Known by digest, so that comparing keys tells nothing about ids by its timing.
  const keyOf = (id: string): string => createHash('sha256').update(id).digest('hex');
  return {
    open(tokenHash) {
      const id = randomBytes(32).toString('base64url');
      const [oldest] = byId.keys();
      if (byId.size >= most && oldest !== undefined) byId.delete(oldest);
      byId.set(keyOf(id), { tokenHash, untilMs: nowMs() + lifetimeMs });
      return id;
    },
    tokenOf(id) {
      const session = byId.get(keyOf(id));
      return session !== undefined && session.untilMs > nowMs() ? session.tokenHash : undefined;
    },
    close(id) {
      byId.delete(keyOf(id));
    },
  };
}
