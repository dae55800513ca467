// A name that says that a file is a draft, a test or an old copy is asked about; the names of honest files are not.
import { describe, expect, it } from 'vitest';

import { wordAgainst } from '../../src/inbox/file-name-words.ts';

describe('the name of a file', () => {
  it.each([
    ['BROUILLON paie.csv', 'BROUILLON'],
    ['Paie novembre - ébauche.xlsx', 'ebauche'],
    ['ne pas payer.csv', 'ne pas payer'],
    ['NE_PAS_PAYER_fournisseurs.csv', 'NE_PAS_PAYER'],
    ['TEST paie.csv', 'TEST'],
    ['paie_test.csv', 'test'],
    ['ANCIEN paie.csv', 'ANCIEN'],
    ['payroll-old.csv', 'old'],
    ['paie-backup.csv', 'backup'],
    ['paie.tmp.csv', 'tmp'],
    ['paie.sync-conflict-20261128-101010-ABCDEFG.csv', 'sync-conflict-20261128-101010-ABCDEFG'],
    ['payroll (conflicted copy 2026-11-28).csv', 'conflicted copy'],
    ['draft suppliers.xlsx', 'draft'],
    ['Entwurf Löhne.csv', 'Entwurf'],
    ['nicht bezahlen.csv', 'nicht bezahlen'],
    ['borrador nómina.csv', 'borrador'],
    ['Fournisseurs annulé.csv', 'annule'],
  ])('%s says %j', (name, word) => expect(wordAgainst(name)).toBe(word));

  it.each([
    'payroll.csv',
    'Fournisseurs S48.xlsx',
    'Anciens combattants.csv',
    'Olden Suppliers.csv',
    'attestations.csv',
    'Temp staff November.csv',
    'Holding payments.csv',
    'contest winners.csv',
    'Goldfields.csv',
    'Paie 2026-11.xlsx',
  ])('%s says nothing', (name) => expect(wordAgainst(name)).toBeNull());
});
