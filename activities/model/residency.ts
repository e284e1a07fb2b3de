/** How long a server keeps a model in memory. A server may keep a little of every constrained reply for good: Ollama 0.6 keeps 25 MB for a vocabulary of 262,144 tokens. */

/** Questions after which a model is let go once, so that its memory stays bounded. Loading it again costs about as much as one reply. */
export const questionsPerLoad = 64;

/** Between two questions, in Ollama's notation. */
const usual = '30m';

const asked = new Map<string, number>();

/** Ollama's `keep_alive` for the next question to a model: 0, "let go afterwards", for every 64th that this process asks. */
export function keepAliveFor(ollamaHost: string, model: string): string | 0 {
  const key = JSON.stringify([ollamaHost, model]);
  const count = (asked.get(key) ?? 0) + 1;
  asked.set(key, count % questionsPerLoad);
  return count === questionsPerLoad ? 0 : usual;
}
