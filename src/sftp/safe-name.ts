// Names come from another house and become names of ours: what could lead elsewhere, hide its end or break a terminal is left where it lies.

/** Room for what is put before and behind it: the batch, the kind of an answer, a marker; 255 is what file systems take. */
const NAME_BYTES_MAX = 180;

/** Control and format characters (which turn text around), halves of characters, and what was no UTF-8. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFD]/u;

/** Characters that some system gives a meaning in a path. */
const WITH_MEANING = /[/\\:*?"<>|]/;

/** Of a longer name the beginning tells which one it is. */
const SHOWN_MOST = 60;

/** Whether a name of the other side may be one of ours. */
export function isSafeName(name: string): boolean {
  return (
    name !== '' &&
    !name.startsWith('.') &&
    !/[. ]$/.test(name) &&
    !UNPRINTABLE.test(name) &&
    !WITH_MEANING.test(name) &&
    Buffer.byteLength(name) <= NAME_BYTES_MAX
  );
}

/** A name that may be shown to people, whatever stands in it. */
export function shownName(name: string): string {
  const clean = name.replaceAll(new RegExp(UNPRINTABLE, 'gu'), '\uFFFD');
  return clean.length > SHOWN_MOST ? `${clean.slice(0, SHOWN_MOST)}…` : clean;
}
