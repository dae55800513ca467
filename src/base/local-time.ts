// Times as people read them, on a screen and in a message: local, to the minute. Programs have them in ISO 8601.

export const MACHINE_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The first zone that the config names, else this machine's. */
export function zoneOf({
  schedules,
}: {
  readonly schedules: readonly { readonly timeZone: string }[];
}): string {
  return schedules[0]?.timeZone ?? MACHINE_ZONE;
}

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** For a text that names the zone by itself. */
export function withLocalTimes(text: string, zone: string): string {
  return text.replace(ISO_TIME, (time) => localTime(time, zone));
}

/** The same with the zone behind each, where nothing else names it. */
export function withZonedTimes(text: string, zone: string): string {
  return text.replace(ISO_TIME, (time) => `${localTime(time, zone)} (${zone})`);
}

/** `2026-11-22 13:38`: local time in that zone. */
function localTime(time: string, zone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return format.format(Date.parse(time));
}
