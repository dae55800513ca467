// The tables are those of the schemas, and the validator built on them agrees with libxml2 on real messages and on what becomes of them.
import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { typeNamed } from '../../../src/rows/pain001/schema.ts';
import { TYPES } from '../../../src/rows/pain001/schemas.ts';
import { compileSchemas, versions } from './compile-schemas.ts';
import { disagreements, isValidToOracle, isValidToUs, messages } from './mutants.ts';

describe('the tables of pain.001', () => {
  it('are what the schemas say', () => {
    const written = readFileSync(new URL('../../../src/rows/pain001/schemas.ts', import.meta.url), 'utf8');
    expect(written).toBe(compileSchemas());
    expect(versions()).toEqual(['03', '08', '09', '10', '12']);
  });

  it('have no name in two places of one type', () => {
    for (const name of Object.keys(TYPES)) expect(typeNamed(name).kind).toMatch(/^(?:complex|simple)$/);
  });

  it.each([...messages()])('take %s, as libxml2 does', (_, text) => {
    expect([isValidToOracle(text), isValidToUs(text)]).toEqual([true, true]);
  });

  it('agree with libxml2 on every mutant of these messages', () => {
    const { found, invalid, count } = disagreements(20_261_122, 300);
    expect(found.map(({ seed, of, oracle }) => ({ seed, of, oracle }))).toEqual([]);
    // Mutants that hurt nothing would prove nothing, and so would mutants that are all broken.
    expect(invalid).toBeGreaterThan(count / 2);
    expect(invalid).toBeLessThan(0.95 * count);
  });
});
