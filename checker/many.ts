/** How many worlds are asked about at once, and what becomes of the others where one of them fails. */

/** So many worlds share one set of queries: few enough for a statement's time limit, many enough to make the trips not count. */
const worldsAtOnce = 200;

/** The items in runs of `worldsAtOnce`, in their order. */
export function* atOnce<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += worldsAtOnce) yield items.slice(start, start + worldsAtOnce);
}

/**
 * Asks about all items together; where that fails, about each half alone, down to the one item that fails by itself: one bad world must not make its
 * neighbours unknown. Never throws. @param failed the answer for an item that fails alone, and why it did
 */
export async function inHalves<Item, Answer>(items: readonly Item[], ask: (items: readonly Item[]) => Promise<Answer[]>, failed: (item: Item, why: string) => Answer): Promise<Answer[]> {
  try {
    return await ask(items);
  } catch (error) {
    const [first] = items;
    if (items.length === 1 && first !== undefined) return [failed(first, error instanceof Error ? error.message : String(error))];
    const middle = Math.ceil(items.length / 2);
    return [...(await inHalves(items.slice(0, middle), ask, failed)), ...(await inHalves(items.slice(middle), ask, failed))];
  }
}

/** The values of each world, in their order. */
export function byWorld<Value>(values: readonly Value[], worldOf: (value: Value) => string): ReadonlyMap<string, Value[]> {
  const worlds = new Map<string, Value[]>();
  for (const value of values) {
    const own = worlds.get(worldOf(value));
    if (own === undefined) worlds.set(worldOf(value), [value]);
    else own.push(value);
  }
  return worlds;
}
