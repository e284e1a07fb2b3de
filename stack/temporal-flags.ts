/** The settings of the development server that matter, as a pure list of flags. */

export type TemporalFlags = {
  readonly port: number;
  readonly uiPort: number;
  /** The file that keeps everything; undefined keeps it in memory. */
  readonly dbFile?: string;
  readonly namespace: string;
  /** Name -> type of each search attribute. */
  readonly attributes: Readonly<Record<string, string>>;
};

const dynamicConfig: readonly string[] = [
  // By default the server polls its one shard 20 times a second, and every task waits 50 ms for it.
  'history.transferProcessorMaxPollRPS=5000',
  // One partition a queue: with one server, more of them only mean forwarding.
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'system.enableActivityEagerExecution=true',
  // A deleted workflow (such as the start-up's probe) leaves the list after this, not after half a minute.
  'history.transferProcessorUpdateAckInterval="5s"',
];

/** Survives SIGKILL of the server, though not a power cut, and more than doubles the throughput of a file. */
const pragmas: readonly string[] = ['journal_mode=wal', 'synchronous=off'];

/** Arguments of `temporal` for a server on the loopback. */
export function temporalArgs(flags: TemporalFlags): string[] {
  const { port, uiPort, dbFile, namespace, attributes } = flags;
  const file = dbFile === undefined ? [] : ['--db-filename', dbFile, ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma])];
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort), '--log-level', 'error'],
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...file,
    ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
    ...Object.entries(attributes).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}
