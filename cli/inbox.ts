/** `holdpoint inbox`: the page on which people decide, on servers that run already. */
import { openInbox, portNumber } from './inbox/open.ts';
import { printResult, type CommandModule } from './output.ts';
import { connect } from './runtime/client.ts';
import { requireMigrated } from './runtime/migrated.ts';
import { findSettings } from './runtime/settings.ts';
import { listenForEnd } from './start/ending.ts';

const examples = `
Sign in with a token that was made for looking (scope view) and for whatever is to be decided. The page is served on the loopback only.

Examples:
  holdpoint inbox
  holdpoint inbox --port 9000 --json`;

/** Exit code 0 after Ctrl-C; 1 where the database or Temporal does not answer, or the named port is taken. */
export const registerInbox: CommandModule = (program) => {
  program
    .command('inbox')
    .description('Serve the page on which people approve, reject, edit, comment and hand on.')
    .option('--port <port>', 'of the loopback; 0 takes any free one (default: 8265, or any where that is taken)', portNumber('--port'))
    .option('--json', 'print one JSON document once it is up')
    .addHelpText('after', examples)
    .action(async (flags: { json?: boolean; port?: number }) => {
      const settings = await findSettings();
      await requireMigrated(settings.databaseUrl);
      const ending = listenForEnd('The inbox ended.', 'nothing.');
      const connected = await connect(settings);
      try {
        const { temporalUiUrl: url, temporalNamespace: namespace } = settings;
        const inbox = await openInbox({
          client: connected.client, databaseUrl: settings.databaseUrl, port: flags.port, ui: url === undefined ? undefined : { url, namespace },
        });
        printResult(flags, { inbox: inbox.url }, () => `Inbox:   ${inbox.url}`);
        await ending.asked;
        await inbox.close();
      } finally {
        await connected.close();
        ending.release();
      }
    });
};
