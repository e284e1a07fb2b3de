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
const Query = pg.Query as unknown as new (config: QueryConfig, callback: Callback) => { handleError(error: Error, wire: Wire): void };

/**
 * A statement wrapped in its own transaction. Three separate queries would do the same with three Syncs: the server would answer, and Node wake up,
 * three times. After an error the server skips everything up to the Sync, COMMIT included: the caller must send ROLLBACK.
 */
export class OneTripQuery extends Query {
  readonly #query: QueryConfig;

  constructor(query: QueryConfig, callback: Callback) {
    super(query, callback);
    this.#query = query;
  }

  /** Called by pg when it is this query's turn to be written. */
  submit(wire: Wire): null {
    const { name = '', text, values = [] } = this.#query;
    wire.stream.cork();
    try {
      unnamed(wire, 'BEGIN');
      if (wire.parsedStatements[name] === undefined) {
        if (name !== '') wire.close({ type: 'S', name }); // no error where it does not exist
        wire.parse({ name, text });
      }
      wire.bind({ statement: name, values: values as unknown[], valueMapper: prepareValue });
      wire.describe({ type: 'P', name: '' });
      wire.execute({});
      unnamed(wire, 'COMMIT');
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
    return null;
  }

  /** pg takes the first ParseComplete for this statement's own, so after an error nobody knows whether it was parsed: it is parsed again. */
  override handleError(error: Error, wire: Wire): void {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- pg's own book of prepared statements
    delete wire.parsedStatements[this.#query.name ?? ''];
    super.handleError(error, wire);
  }
}

function unnamed(wire: Wire, text: string): void {
  wire.parse({ name: '', text });
  wire.bind({ statement: '', values: [], valueMapper: prepareValue });
  wire.execute({});
}
