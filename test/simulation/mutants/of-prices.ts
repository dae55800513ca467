// Bugs in what a price is compared with before anything is sent at it.
import type { Mutant } from './mutant.ts';

const SHOWN_BY = 'test/app/price-moved.test.ts';

export const MUTANTS_OF_PRICES: readonly Mutant[] = [
  {
    name: 'a price is compared with the last one, not with the one that was shown',
    file: 'payouts/moved-price.ts',
    find: 'if (comparison.shownPrice !== null || price === null) return comparison;',
    replace: 'if (price === null) return comparison;',
    shownBy: SHOWN_BY,
  },
  {
    name: 'what arrives may move as far as it likes',
    file: 'payouts/moved-price.ts',
    find: '|| !isAbout(shown.receiveAmount, now.receiveAmount, maxDrift)',
    replace: '|| !isAbout(shown.receiveAmount, shown.receiveAmount, maxDrift)',
    shownBy: SHOWN_BY,
  },
  {
    name: 'a price may fall as far as it likes',
    file: 'payouts/moved-price.ts',
    find: "const difference = subtractDecimals(other, amount).replace('-', '');",
    replace: 'const difference = subtractDecimals(other, amount);',
    shownBy: SHOWN_BY,
  },
  {
    name: 'the quotation of a preview is forgotten once it has run out',
    file: 'payouts/row-machine/changes.ts',
    find: 'const comparison = keptComparison(row);',
    replace: 'const { comparison } = row;',
    shownBy: SHOWN_BY,
  },
  {
    name: 'a released price is paid under the question that did not show it',
    file: 'payouts/moved-price.ts',
    find: 'return round > (shownPrice?.askedAfter ?? 0);',
    replace: 'return round >= (shownPrice?.askedAfter ?? 0);',
    shownBy: SHOWN_BY,
  },
  {
    name: 'the first row of a corridor is sent before there is a rate to compare it with',
    file: 'app/workflow/carry/learn-rates.ts',
    find: 'if (rates.isLearned) return;',
    replace: 'if (!rates.isLearned) return;',
    shownBy: SHOWN_BY,
  },
  {
    name: 'a rate that strays from the others is paid',
    file: 'payouts/moved-price.ts',
    find: 'return rates.strayWords(price, currencies, maxDrift);',
    replace: "return rates.strayWords(price, currencies, maxDrift.replace(/.*/, '9'));",
    shownBy: SHOWN_BY,
  },
];
