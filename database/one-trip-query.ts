/** BEGIN, one statement and COMMIT behind a single Sync: one network write, one answer, and still a COMMIT tag to check. */
import pg from 'pg';
import type { QueryConfig, QueryResult } from 'pg';

/** What comes back: the results of BEGIN, of the statement and of COMMIT. */
type Callback = (error: Error | null, results: QueryResult[]) => void;

/** The part of pg's connection that the extended query protocol needs (PostgreSQL manual, section 54.2.3). */
type Wire = {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string>;
  close(message: { type: 'S'; name: string }): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
};

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;
const Query = pg.Query as unknown as new (config: QueryConfig, callback: Callback) => object;

/** Statements that a connection is known to have prepared. Known only after a round without an error: what an error skipped is not told. */
const prepared = new WeakMap<Wire, Set<string>>();

/**
 * A statement wrapped in its own transaction, everything prepared once a connection. Three separate queries would do the same with three Syncs: the server
 * would answer, and Node wake up, three times. After an error the server skips everything up to the Sync, COMMIT included: the caller must send ROLLBACK.
 */
export class OneTripQuery extends Query {
  readonly #query: QueryConfig;
  #wire: Wire | undefined;

  /** A query with a name is prepared under it. */
  constructor(query: QueryConfig, callback: Callback) {
    super(query, (error, results) => {
      this.#remember(error);
      callback(error, results);
    });
    this.#query = query;
  }

  /** Called by pg when it is this query's turn to be written. */
  submit(wire: Wire): null {
    const { name = '', text, values = [] } = this.#query;
    this.#wire = wire;
    wire.stream.cork();
    try {
      prepareAndBind(wire, { name: 'begin', text: 'BEGIN' });
      wire.execute({});
      prepareAndBind(wire, { name, text, values });
      wire.describe({ type: 'P', name: '' });
      wire.execute({});
      prepareAndBind(wire, { name: 'commit', text: 'COMMIT' });
      wire.execute({});
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
    return null;
  }

  #remember(error: Error | null): void {
    if (this.#wire === undefined) return;
    const { name = '' } = this.#query;
    if (error === null) {
      prepared.set(this.#wire, (prepared.get(this.#wire) ?? new Set()).add('begin').add(name).add('commit'));
      return;
    }
    prepared.delete(this.#wire);
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- pg's own book: it takes the first ParseComplete for this statement's own
    delete this.#wire.parsedStatements[name];
  }
}

function prepareAndBind(wire: Wire, { name, text, values = [] }: { name: string; text: string; values?: unknown[] }): void {
  if (name === '' || prepared.get(wire)?.has(name) !== true) {
    wire.close({ type: 'S', name }); // no error where it does not exist
    wire.parse({ name, text });
  }
  wire.bind({ statement: name, values, valueMapper: prepareValue });
}
