// Batches of a ledger: a file is announced once, by any run, and what is known about it is found again.
import { expect, it } from 'vitest';

import { BATCH, batchNumber, keptBy, newRows, readBy } from './records.ts';
import { type OpenLedgers } from './two-ledgers.ts';
import { waitFor } from '../../src/ledger/wait.ts';
import { own } from './own.ts';
import { changeBatch, moveOn } from '../../src/ledger/ledger.ts';

export function exerciseBatches(open: OpenLedgers): void {
  announcing(open);
  replacing(open);
  changing(open);
  finding(open);
  moving(open);
  binding(open);
}

function announcing(open: OpenLedgers): void {
  it('a file that is new is announced, and read back as it was given', async () => {
    const { ledger, other } = await open();
    expect(await ledger.addBatch(BATCH)).toEqual({ added: keptBy(ledger, BATCH) });
    expect(await other.batch(BATCH.id)).toEqual(keptBy(ledger, BATCH));
    expect(await other.batch({ fileId: BATCH.fileId })).toEqual(keptBy(ledger, BATCH));
  });

  it('a file that is announced already gives the batch that holds it, under another batch id too', async () => {
    const { ledger, other } = await open();
    await ledger.addBatch(BATCH);
    const again = { ...BATCH, id: '20261121-79c1bde8', fileName: 'again.csv' };
    expect(await other.addBatch(again)).toEqual({ earlier: keptBy(ledger, BATCH) });
    expect(await ledger.batch(again.id)).toBeNull();
  });

  it('of many runs that announce one file at once, exactly one is the first', async () => {
    const { ledger, other } = await open();
    const runs = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ledger : other));
    const answers = await Promise.all(runs.map((run) => run.addBatch(BATCH)));
    expect(answers.filter((answer) => 'added' in answer)).toHaveLength(1);
    expect(await ledger.batches()).toHaveLength(1);
  });

  it('leaves a name with the file that had it, be that refused, and says whose it is', async () => {
    const { ledger } = await open();
    await ledger.addBatch(BATCH);
    const stranger = { ...BATCH, fileId: `${BATCH.fileId.slice(0, 8)}${'0'.repeat(56)}` };
    expect(await ledger.addBatch(stranger, BATCH)).toEqual({ earlier: keptBy(ledger, BATCH) });
    expect(await ledger.batch({ fileId: stranger.fileId })).toBeNull();
  });

  it('a batch or file that nobody announced is not there', async () => {
    const { ledger } = await open();
    expect(await ledger.batch('20261120-00000000')).toBeNull();
    expect(await ledger.batch({ fileId: '0'.repeat(64) })).toBeNull();
    expect(await ledger.batches()).toEqual([]);
  });
}

function replacing(open: OpenLedgers): void {
  it('a refused batch is replaced, its rows with it, when its bytes come again', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(3));
    await changeBatch(ledger, await own(ledger, BATCH.id), {
      state: 'refused',
      finished: { at: '2026-11-20T09:00:00.000Z', due: null },
      wait: null,
    });
    const again = { ...BATCH, id: '20261121-79c1bde8' };
    const refused = (await ledger.batch(BATCH.id)) ?? BATCH;
    expect(await ledger.addBatch(again, refused)).toEqual({ added: keptBy(ledger, again) });
    expect(await ledger.batches()).toEqual([keptBy(ledger, again)]);
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
    expect(await ledger.rows(again.id, 0, 10)).toEqual([]);
  });

  it('a batch is replaced as it was seen, and kept when somebody has taken it over since', async () => {
    const { ledger, other } = await open();
    await ledger.addBatch(BATCH);
    const seen = await own(ledger, BATCH.id);
    const taken = await ledger.takeOver(seen);
    expect(await other.addBatch(BATCH, seen)).toEqual({ earlier: taken });
    expect(await other.addBatch(BATCH)).toEqual({ earlier: taken });
    expect(await other.addBatch(BATCH, taken ?? seen)).toEqual({ added: keptBy(other, BATCH) });
    expect(await ledger.batch(BATCH.id)).toMatchObject({ owner: other.run });
  });
}

function changing(open: OpenLedgers): void {
  it('a change keeps what it does not name', async () => {
    const { ledger, other } = await open();
    const wait = waitFor('funds', { en: 'Top up.', fr: 'Approvisionnez.', es: 'Añada fondos.' });
    await ledger.addBatch({ ...BATCH, state: 'pricing' });
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'accepted', epoch: 120 });
    await changeBatch(ledger, await own(ledger, BATCH.id), { wait });
    expect(await other.batch(BATCH.id)).toEqual(
      keptBy(ledger, { ...BATCH, state: 'accepted', epoch: 120, wait }),
    );
  });

  it('changing a batch that is not there is a fault, not a silence', async () => {
    const { ledger } = await open();
    await expect(changeBatch(ledger, await own(ledger, '20261120-00000000'), { epoch: 1 })).rejects.toThrow(
      '20261120-00000000',
    );
  });

  it('a batch that is dropped is forgotten, and its file can come anew', async () => {
    const { ledger } = await open();
    await ledger.addBatch(BATCH);
    await ledger.dropBatch(await own(ledger, BATCH.id));
    expect(await ledger.batch({ fileId: BATCH.fileId })).toBeNull();
    expect(await ledger.addBatch(BATCH)).toEqual({ added: keptBy(ledger, BATCH) });
  });
}

function finding(open: OpenLedgers): void {
  it('batches are listed oldest first, whatever the order of their announcement', async () => {
    const { ledger } = await open();
    const late = batchNumber(1, { acceptedAt: '2026-11-22T08:00:00.000Z' });
    const early = batchNumber(2, { acceptedAt: '2026-11-21T08:00:00.000Z' });
    await ledger.addBatch(late);
    await ledger.addBatch(early);
    expect(await ledger.batches()).toEqual([keptBy(ledger, early), keptBy(ledger, late)]);
  });
}

function moving(open: OpenLedgers): void {
  it.each(['closed', 'refused'] as const)('a batch that is %s goes nowhere any more', async (state) => {
    const { ledger } = await open();
    await ledger.addBatch({ ...BATCH, state });
    for (const to of ['checking', 'pricing', 'accepted', 'sending'] as const)
      await expect(changeBatch(ledger, await own(ledger, BATCH.id), { state: to })).rejects.toThrow(
        `cannot become ${to}`,
      );
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state });
  });

  it('a batch is moved on once, from where it was seen, and nothing skips what it waits for', async () => {
    const { ledger } = await open();
    await ledger.addBatch({ ...BATCH, state: 'pricing' });
    await expect(changeBatch(ledger, await own(ledger, BATCH.id), { state: 'sending' })).rejects.toThrow(
      'cannot become sending',
    );
    expect(await moveOn(ledger, await own(ledger, BATCH.id), 'pricing', 'accepted')).toBe(true);
    expect(await moveOn(ledger, await own(ledger, BATCH.id), 'pricing', 'accepted')).toBe(false);
    expect(await moveOn(ledger, await own(ledger, BATCH.id), 'accepted', 'sending')).toBe(true);
    expect(await moveOn(ledger, await own(ledger, BATCH.id), 'accepted', 'sending')).toBe(false);
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'sending' });
  });

  it('a batch that is being paid keeps its rows, whoever would clear or refuse it', async () => {
    const { ledger } = await open();
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(await own(ledger, BATCH.id), newRows(2));
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'pricing' });
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'accepted' });
    await changeBatch(ledger, await own(ledger, BATCH.id), { state: 'sending' });
    await expect(ledger.clearRows(await own(ledger, BATCH.id))).rejects.toThrow('sending');
    await expect(
      changeBatch(ledger, await own(ledger, BATCH.id), {
        state: 'refused',
        finished: { at: '2026-11-20T09:00:00.000Z', due: null },
        wait: null,
      }),
    ).rejects.toThrow('sending');
    await expect(ledger.dropBatch(await own(ledger, BATCH.id))).rejects.toThrow(BATCH.id);
    expect(await ledger.rows(BATCH.id, 0, 10)).toHaveLength(2);
  });
}

function binding(open: OpenLedgers): void {
  it('has one id, whoever opens it, and another has another', async () => {
    const { ledger, other } = await open();
    expect(other.id).toBe(ledger.id);
    expect(ledger.id).toMatch(/^[\da-f-]{36}$/);
    expect((await open()).ledger.id).not.toBe(ledger.id);
  });

  it('belongs to the account that was named first, until somebody who has seen that names another', async () => {
    const { ledger, other } = await open();
    expect(await ledger.account.bound()).toBeNull();
    expect(await ledger.account.bind('one', null)).toBe(true);
    expect(await other.account.bind('two', null)).toBe(false);
    expect(await other.account.bind('two', 'three')).toBe(false);
    expect(await ledger.account.bound()).toBe('one');
    expect(await other.account.bind('two', 'one')).toBe(true);
    expect([await ledger.account.bound(), await other.account.bound()]).toEqual(['two', 'two']);
  });
}
