// The log writes its listed fields and no others, whatever a caller passes.
import { describe, expect, it } from 'vitest';

import { createLog, silentLog, type LogFields, type LogLevel } from '../../src/base/log.ts';

/** A secret that must never be seen, in any field. */
const CANARY = 'canary-4f1c9a';

const SMUGGLED: readonly object[] = [
  { apiKey: CANARY },
  { headers: { 'x-api-key': CANARY } },
  { name: CANARY, account: CANARY },
  { err: new Error(CANARY, { cause: new Error(CANARY) }) },
  { msg: CANARY },
  { toString: CANARY, constructor: CANARY, hasOwnProperty: CANARY },
  JSON.parse(`{"__proto__":"${CANARY}"}`) as object,
];

function capture(level: LogLevel) {
  const lines: string[] = [];
  return { log: createLog(level, { write: (line) => void lines.push(line) }), lines };
}

describe('a log line', () => {
  it('has its message and its fields, as JSON', () => {
    const { log, lines } = capture('info');
    log.info('step', { batch: 'b-1', row: '7', stage: 'created', errorCode: 10024, durationMs: 12 });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'step',
      batch: 'b-1',
      row: '7',
      stage: 'created',
      errorCode: 10024,
      durationMs: 12,
    });
  });

  it('names no host and no process', () => {
    const { log, lines } = capture('info');
    log.info('step');
    expect(Object.keys(JSON.parse(lines[0] ?? '') as object).sort()).toEqual(['level', 'msg', 'time']);
  });

  it.each(SMUGGLED)('never carries an unlisted field: %#', (fields) => {
    const { log, lines } = capture('debug');
    const given = { batch: 'b-1', ...fields } as LogFields;
    log.debug('step', given);
    log.info('step', given);
    log.warn('step', given);
    log.error('step', given);
    expect(lines).toHaveLength(4);
    expect(lines.join('')).not.toContain(CANARY);
    expect(lines.join('')).toContain('b-1');
  });

  it('below the level is not written', () => {
    const { log, lines } = capture('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['c', 'd']);
  });

  it('is none at all when silent', () => {
    const { log, lines } = capture('silent');
    log.error('a');
    silentLog.error('a');
    expect(lines).toEqual([]);
  });
});
