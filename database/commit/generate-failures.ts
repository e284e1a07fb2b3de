/** The registry of reasons as rows, so that SQL can say what the engine does with one. */
import { failures } from '../../contract/failures.ts';

/** Makes `holdpoint.failures` equal to the registry; repeatable. */
export function failuresSql(): string {
  const rows = Object.entries(failures).map(([reason, { kind, disposition, sentence }]) => `(${[reason, kind, disposition, sentence].map(quoted).join(', ')})`);
  return `delete from holdpoint.failures;
insert into holdpoint.failures (reason, kind, disposition, sentence) values
${rows.join(',\n')};
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
