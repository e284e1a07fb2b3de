/** The words of this room: what is asked of the stack, what it gives back, and how it fails. */

/** The three servers that the engine runs on. */
export type Part = 'temporal' | 'postgres' | 'ollama';

/** One thing said aloud while starting. `fraction` (0 to 1) is there where a long step knows how far it is. */
export type StackLine = { readonly part: string; readonly text: string; readonly fraction?: number };

export type StackOptions = {
  readonly parts: readonly Part[];
  /** Data, logs and records of the servers. Two folders never share a server or a port. */
  readonly stateDir: string;
  /** Wanted models by name. Default: HOLDPOINT_MODELS, else all default models that can be had. */
  readonly models?: readonly string[];
  readonly say: (line: StackLine) => void;
  /** Aborting it while the stack starts stops what was started and rejects. */
  readonly signal?: AbortSignal;
  /** `memory` is a little faster and forgets everything when the server ends. Default `file`. */
  readonly temporalDb?: 'file' | 'memory';
};

/** A model that the Ollama server has. The digest names its weights, template and parameters together. */
export type Model = { readonly name: string; readonly digest: string; readonly sizeBytes: number };

/** A wanted model that is not there, with the sentence that says why. */
export type UnavailableModel = { readonly name: string; readonly why: string };

export type TemporalPart = {
  readonly address: string;
  readonly namespace: string;
  /** Missing where the server was given by TEMPORAL_ADDRESS without a TEMPORAL_UI_URL. */
  readonly uiUrl?: string;
  readonly version: string;
  readonly from: string;
  readonly startedByUs: boolean;
};

export type PostgresPart = {
  /** A connection of the owner (for a server of ours the superuser) to an existing database. It holds the password. */
  readonly url: string;
  /** `unknown` where the server was given by DATABASE_URL: it tells its version only after signing in. */
  readonly version: string;
  readonly from: string;
  readonly startedByUs: boolean;
};

export type OllamaPart = {
  readonly host: string;
  readonly version: string;
  readonly from: string;
  readonly startedByUs: boolean;
  readonly models: readonly Model[];
  readonly unavailable: readonly UnavailableModel[];
};

/** One server that this call started, for tests that strike at it. */
export type ServerControl = {
  /** Of the running server; another one after `restart`. */
  readonly pid: number;
  /** Sends the signal to the server's own process, SIGKILL to its whole group. Does not wait. */
  kill(signal: NodeJS.Signals): void;
  /** Waits until the old process is gone (ending it if need be), starts it with the same flags, port and data, and waits until it answers. */
  restart(): Promise<void>;
};

export type Stack = {
  readonly temporal?: TemporalPart;
  readonly postgres?: PostgresPart;
  readonly ollama?: OllamaPart;
  /** The servers that this call started; those found running are not here. */
  readonly processes: Readonly<Partial<Record<Part, ServerControl>>>;
  /** Stops what this call started, and nothing else. Idempotent. */
  stop(): Promise<void>;
};

/** A server's command by full path, its version, and where it came from in words. */
export type Binary = { readonly path: string; readonly version: string; readonly from: string };

/** A part that could not be found or started. The message says what happened and what to do. */
export class StackError extends Error {
  override name = 'StackError';
}

/** The environment's variables, as a value, so that what reads them can be tested. */
export type Env = Readonly<Record<string, string | undefined>>;
