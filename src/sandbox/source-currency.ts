// The currencies that the organization holds a balance in, as a type, because every amount that moves is in one of them.
import type { SOURCE_CURRENCIES } from '../service/wire.ts';

export type SourceCurrency = (typeof SOURCE_CURRENCIES)[number];
