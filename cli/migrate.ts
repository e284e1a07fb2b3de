/** `holdpoint migrate`: brings the database of DATABASE_URL to this version's schema, and makes it where it is not there. */
import { sqlStateOf } from '../database/errors.ts';
import { createDatabase, migrate, type MigrationReport } from '../database/migrate.ts';
import { printResult, UserError, type CommandModule } from './output.ts';
import { readSettings } from './runtime/settings.ts';

/** Exit code 0, also where nothing was missing. Forward only, safe to run again and at the same time elsewhere. */
export const registerMigrate: CommandModule = (program) => {
  program
    .command('migrate')
    .description("Create the database of DATABASE_URL (its owner's URL) where it is missing, and apply what is new.")
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  DATABASE_URL=postgres://owner:password@db:5432/holdpoint holdpoint migrate')
    .action(async (options: { json?: boolean }) => {
      const { databaseUrl } = readSettings();
      const database = nameIn(databaseUrl);
      const report = await migrateOrCreate(databaseUrl, database).catch((error: unknown) => {
        throw new UserError(`The database ${database} could not be migrated (${error instanceof Error ? error.message || error.name : String(error)}): DATABASE_URL must be its owner's.`);
      });
      printResult(options, { database, ...report }, () => describe(database, report));
    });
};

function nameIn(url: string): string {
  const name = URL.canParse(url) ? decodeURIComponent(new URL(url).pathname.slice(1)) : '';
  if (name === '') throw new UserError('DATABASE_URL must name a database, like postgres://user:password@host:5432/holdpoint.', 2);
  return name;
}

async function migrateOrCreate(url: string, database: string): Promise<MigrationReport> {
  try {
    return await migrate(url);
  } catch (error) {
    if (sqlStateOf(error) !== '3D000') throw error;
    const maintenance = new URL(url);
    maintenance.pathname = '/postgres';
    await createDatabase(maintenance.toString(), database);
    return migrate(url);
  }
}

function describe(database: string, { applied, functions }: MigrationReport): string {
  if (applied.length + functions.length === 0) return `The database ${database} is up to date.`;
  return `The database ${database}: applied ${[...applied, ...functions].join(', ')}.`;
}
