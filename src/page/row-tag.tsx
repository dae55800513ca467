// What became of a row, as a pill: a row that somebody closed has nothing to fix.
import { t } from './language.ts';
import { Tag } from './parts.tsx';
import type { Row } from './shapes.ts';

export function RowTag({ row: { outcome, errorCode } }: { readonly row: Row }) {
  const isClosed = errorCode === 'declined' || errorCode === 'cancelled';
  return <Tag of={outcome}>{isClosed ? t('state.unpaid') : undefined}</Tag>;
}
