// One line of what `doctor` says: what was looked at, whether it is as it should be, and what to do where it is not.

import type { Words } from '../../base/language.ts';

export type Finding = { readonly name: string; readonly ok: boolean; readonly words: Words };
