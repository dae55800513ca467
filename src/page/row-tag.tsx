// What became of a row, as a pill: a row that somebody closed has nothing to fix.
import type { Row } from '../contract/files.ts';
import { t } from './language.ts';
import { Tag } from './parts.tsx';

export function RowTag({ row: { outcome, errorCode } }: { readonly row: Row }) {
  const isClosed = errorCode === 'declined' || errorCode === 'cancelled';
  return <Tag of={outcome}>{isClosed ? t('state.unpaid') : undefined}</Tag>;
}
