// A proof of payment to download, for one row or a whole file: where not all of it is paid it is a statement, and is called so.
import { query } from './api.ts';
import { language, t } from './language.ts';

export function ProofLink({
  batch,
  row,
  isPaid,
}: {
  readonly batch: string;
  readonly row?: string;
  readonly isPaid: boolean;
}) {
  return (
    <a href={`/api/v1/files/${batch}/proof${query({ row, language: language() })}`} download>
      {t(isPaid ? 'row.proof' : 'row.statement')}
    </a>
  );
}
