// What stops a file until a person has decided.
import type { Words } from '../base/language.ts';

/** What stops a file until a person has decided: a limit of the file or the day, too many refusals, a missing approval, the file `STOP` in the inbox, or a missed time for paying. */
export type StoppedBy = 'limits' | 'refusals' | 'approval' | 'stop-file' | 'missed-time';

/** With plain words for it. */
export type Stop = { readonly by: StoppedBy; readonly words: Words };
