// One thing that was looked at, and how it was found.

export type Finding = { readonly name: string; readonly ok: boolean; readonly words: string };
