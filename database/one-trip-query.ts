/** BEGIN, one statement and COMMIT behind a single Sync: one network write, one answer, and still a COMMIT tag to check. */
import pg from 'pg';
import type { QueryConfig } from 'pg';

/** What comes back: the first column of the statement's first row as text (null where there is none), and the tag with which the server answered COMMIT. */
export type OneTripAnswer = { readonly text: string | null; readonly commitTag: string };
type Callback = (error: Error | null, answer: OneTripAnswer) => void;

type Statement = { readonly name: string; readonly text: string; readonly values?: unknown[] };

/** The part of pg's connection that the extended query protocol needs (PostgreSQL manual, section 54.2.3). */
type Wire = {
  readonly stream: { cork(): void; uncork(): void };
  close(message: { type: 'S'; name: string }): void;
  parse(message: { name: string; text: string }): void;
  bind(message: { statement: string; values: unknown[]; valueMapper: (value: unknown) => unknown }): void;
  execute(message: object): void;
  sync(): void;
};

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;
const Query = pg.Query as unknown as new (config: { text: string }) => { handleError(error: Error, wire: Wire): void };

/**
 * Statements that a connection is known to have prepared. Known only after a round without an error: what an error skipped is not told. The book and the
 * names are our own, because pg's book takes the first ParseComplete of a round for its one statement's, and a caller may have statements of any name.
 */
const prepared = new WeakMap<Wire, Set<string>>();

/** What a connection calls our statements. The race's proxy knows COMMIT by its name. */
const begin = { name: 'holdpoint:begin', text: 'BEGIN' };
export const commitStatement = { name: 'holdpoint:commit', text: 'COMMIT' };

/**
 * A statement wrapped in its own transaction, everything prepared once a connection. Three separate queries would do the same with three Syncs: the server
 * would answer, and Node wake up, three times. The statement answers with one text, so nobody describes rows and nobody parses them. After an error the server
 * skips everything up to the Sync, COMMIT included: the caller must send ROLLBACK.
 */
export class OneTripQuery extends Query {
  readonly #statement: Statement;
  #wire: Wire | undefined;
  #text: string | null = null;
  #commitTag = '';
  #sent = false;
  /** pg's own: called at an error, and replaced by pg where a query has a time limit. */
  callback: Callback;

  /** A query with a name is prepared under it. */
  constructor({ name, text, values = [] }: QueryConfig, callback: Callback) {
    super({ text });
    this.#statement = { name: name === undefined ? '' : `holdpoint:${name}`, text, values: values as unknown[] };
    this.callback = callback;
  }

  /** Whether COMMIT is on its way: an error that the server did not send leaves the outcome unknown from then on. */
  get sent(): boolean {
    return this.#sent;
  }

  /** Called by pg when it is this query's turn to be written. */
  submit(wire: Wire): null {
    this.#wire = wire;
    wire.stream.cork();
    try {
      for (const statement of [begin, this.#statement, commitStatement]) {
        prepareAndBind(wire, statement);
        wire.execute({});
      }
      wire.sync();
      this.#sent = true;
    } finally {
      wire.stream.uncork();
    }
    return null;
  }

  /** Called by pg with each row; columns are text as the server sent it. */
  handleDataRow(row: { readonly fields: readonly (string | null)[] }): void {
    this.#text ??= row.fields[0] ?? null;
  }

  /** Called by pg with each statement's tag, COMMIT's the last. */
  handleCommandComplete(message: { readonly text: string }): void {
    this.#commitTag = message.text;
  }

  override handleError(error: Error, wire: Wire): void {
    if (this.#wire !== undefined) prepared.delete(this.#wire);
    super.handleError(error, wire);
  }

  /** Called by pg when the round is over and there was no error. */
  handleReadyForQuery(wire: Wire): void {
    prepared.set(wire, (prepared.get(wire) ?? new Set()).add(begin.name).add(this.#statement.name).add(commitStatement.name));
    this.callback(null, { text: this.#text, commitTag: this.#commitTag });
  }
}

function prepareAndBind(wire: Wire, { name, text, values = [] }: Statement): void {
  if (name === '' || prepared.get(wire)?.has(name) !== true) {
    wire.close({ type: 'S', name }); // no error where it does not exist
    wire.parse({ name, text });
  }
  wire.bind({ statement: name, values, valueMapper: prepareValue });
}
