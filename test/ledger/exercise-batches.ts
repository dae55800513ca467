// Batches of a ledger: a file is announced once, whoever announces it, and what is known of it is found again.
import { expect, it } from 'vitest';

import { BATCH, PAUSED, batchNumber, newRows, readBy } from './records.ts';
import { type OpenLedgers } from './two-ledgers.ts';
import { waitFor } from '../../src/ledger/wait.ts';

export function exerciseBatches(open: OpenLedgers): void {
  announcing(open);
  replacing(open);
  changing(open);
  finding(open);
  owning(open);
  binding(open);
}

function announcing(open: OpenLedgers): void {
  it('a file that is new is announced, and read back as it was given', async () => {
    const { ledger, other } = open();
    expect(await ledger.addBatch(BATCH)).toBeNull();
    expect(await other.batch(BATCH.id)).toEqual(BATCH);
    expect(await other.batch({ fileId: BATCH.fileId })).toEqual(BATCH);
  });

  it('a file that is announced already gives the batch that holds it, under another batch id too', async () => {
    const { ledger, other } = open();
    await ledger.addBatch(BATCH);
    const again = { ...BATCH, id: '20261121-79c1bde8', fileName: 'again.csv' };
    expect(await other.addBatch(again)).toEqual(BATCH);
    expect(await ledger.batch(again.id)).toBeNull();
  });

  it('of many runs that announce one file at once, exactly one is the first', async () => {
    const { ledger, other } = open();
    const runs = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ledger : other));
    const answers = await Promise.all(runs.map((run) => run.addBatch({ ...BATCH, takenBy: run.run })));
    expect(answers.filter((earlier) => earlier === null)).toHaveLength(1);
    expect(await ledger.batches()).toHaveLength(1);
  });

  it('leaves a name with the file that had it, be that refused, and says whose it is', async () => {
    const { ledger } = open();
    await ledger.addBatch(BATCH);
    const stranger = { ...BATCH, fileId: `${BATCH.fileId.slice(0, 8)}${'0'.repeat(56)}` };
    expect(await ledger.addBatch(stranger, BATCH)).toEqual(BATCH);
    expect(await ledger.batch({ fileId: stranger.fileId })).toBeNull();
  });

  it('a batch or file that nobody announced is not there', async () => {
    const { ledger } = open();
    expect(await ledger.batch('20261120-00000000')).toBeNull();
    expect(await ledger.batch({ fileId: '0'.repeat(64) })).toBeNull();
    expect(await ledger.batches()).toEqual([]);
  });
}

function replacing(open: OpenLedgers): void {
  it('a refused batch is replaced, its rows with it, when its bytes come again', async () => {
    const { ledger } = open();
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(BATCH.id, newRows(3));
    expect(await ledger.refuseBatch(BATCH.id, '2026-11-20T09:00:00.000Z')).toBe(true);
    const again = { ...BATCH, id: '20261121-79c1bde8' };
    const refused = (await ledger.batch(BATCH.id)) ?? BATCH;
    expect(await ledger.addBatch(again, refused)).toBeNull();
    expect(await ledger.batches()).toEqual([again]);
    expect(await ledger.rows(BATCH.id, 0, 10)).toEqual([]);
    expect(await ledger.rows(again.id, 0, 10)).toEqual([]);
  });

  it('a batch is replaced as it was seen, and kept when somebody has taken it over since', async () => {
    const { ledger, other } = open();
    const seen = { ...BATCH, takenBy: 'run-dead' };
    await ledger.addBatch(seen);
    await ledger.changeBatch(BATCH.id, { takenBy: 'run-alive' });
    const again = { ...BATCH, takenBy: other.run };
    expect(await other.addBatch(again, seen)).toMatchObject({ takenBy: 'run-alive' });
    await ledger.changeBatch(BATCH.id, { takenBy: 'run-dead' });
    expect(await other.addBatch(again)).toMatchObject({ takenBy: 'run-dead' });
    expect(await other.addBatch(again, seen)).toBeNull();
    expect(await ledger.batch(BATCH.id)).toMatchObject({ takenBy: other.run });
  });
}

function changing(open: OpenLedgers): void {
  it('a change keeps what it does not name', async () => {
    const { ledger, other } = open();
    const wait = waitFor('funds', { en: 'Top up.', fr: 'Approvisionnez.' });
    await ledger.addBatch({ ...BATCH, state: 'pricing' });
    await ledger.changeBatch(BATCH.id, { state: 'accepted', epoch: 120 });
    await ledger.changeBatch(BATCH.id, { wait });
    expect(await other.batch(BATCH.id)).toEqual({
      ...BATCH,
      state: 'accepted',
      epoch: 120,
      wait,
    });
  });

  it('changing a batch that is not there is a fault, not a silence', async () => {
    const { ledger } = open();
    await expect(ledger.changeBatch('20261120-00000000', { epoch: 1 })).rejects.toThrow('20261120-00000000');
  });

  it('a batch that is dropped is forgotten, and its file can come anew', async () => {
    const { ledger } = open();
    await ledger.addBatch({ ...BATCH, takenBy: ledger.run });
    await ledger.dropBatch(BATCH.id);
    expect(await ledger.batch({ fileId: BATCH.fileId })).toBeNull();
    expect(await ledger.addBatch(BATCH)).toBeNull();
  });
}

function finding(open: OpenLedgers): void {
  it('batches are listed oldest first, whatever the order of their announcement', async () => {
    const { ledger } = open();
    const late = batchNumber(1, { acceptedAt: '2026-11-22T08:00:00.000Z' });
    const early = batchNumber(2, { acceptedAt: '2026-11-21T08:00:00.000Z' });
    await ledger.addBatch(late);
    await ledger.addBatch(early);
    expect(await ledger.batches()).toEqual([early, late]);
  });
}

function owning(open: OpenLedgers): void {
  it.each(['closed', 'refused'] as const)('a batch that is %s goes nowhere any more', async (state) => {
    const { ledger } = open();
    await ledger.addBatch({ ...BATCH, state });
    for (const to of ['checking', 'pricing', 'accepted', 'sending'] as const)
      await expect(ledger.changeBatch(BATCH.id, { state: to })).rejects.toThrow(`cannot become ${to}`);
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state });
  });

  it('a batch is moved on once, from where it was seen, and nothing skips what it waits for', async () => {
    const { ledger, other } = open();
    await ledger.addBatch({ ...BATCH, state: 'pricing' });
    await expect(ledger.changeBatch(BATCH.id, { state: 'sending' })).rejects.toThrow('cannot become sending');
    expect(await ledger.moveOn(BATCH.id, 'pricing', 'accepted')).toBe(true);
    expect(await other.moveOn(BATCH.id, 'pricing', 'accepted')).toBe(false);
    expect(await other.moveOn(BATCH.id, 'accepted', 'sending')).toBe(true);
    expect(await ledger.moveOn(BATCH.id, 'accepted', 'sending')).toBe(false);
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'sending' });
  });

  it('a batch that was seen is taken over once, and its pause stays', async () => {
    const { ledger, other } = open();
    await ledger.addBatch({ ...BATCH, state: 'sending', takenBy: 'run-dead', ...PAUSED });
    const seen = { state: 'sending', takenBy: 'run-dead', ...PAUSED } as const;
    expect(await ledger.takeOver(BATCH.id, seen)).toMatchObject({ takenBy: ledger.run, ...PAUSED });
    expect(await other.takeOver(BATCH.id, seen)).toBeNull();
  });

  it('a batch that has moved on since it was seen is not taken over', async () => {
    const { ledger, other } = open();
    await ledger.addBatch({ ...BATCH, state: 'pricing' });
    await other.changeBatch(BATCH.id, { state: 'accepted' });
    expect(await ledger.takeOver(BATCH.id, { ...BATCH, state: 'pricing' })).toBeNull();
    expect(await ledger.takeOver('20261120-00000000', BATCH)).toBeNull();
  });

  it('a batch that somebody paused since it was seen is not taken over, and stays paused', async () => {
    const { ledger, other } = open();
    await ledger.addBatch({ ...BATCH, state: 'sending' });
    await other.changeBatch(BATCH.id, PAUSED);
    expect(await ledger.takeOver(BATCH.id, { ...BATCH, state: 'sending' })).toBeNull();
    expect(await ledger.batch(BATCH.id)).toMatchObject(PAUSED);
  });

  it('the rows of a batch are registered, cleared, refused and forgotten by the run that reads it alone', async () => {
    const { ledger, other } = open();
    await ledger.addBatch(readBy(ledger));
    await expect(other.addRows(BATCH.id, newRows(1))).rejects.toThrow(BATCH.id);
    await expect(other.clearRows(BATCH.id)).rejects.toThrow(BATCH.id);
    expect(await other.refuseBatch(BATCH.id, '2026-11-20T09:00:00.000Z')).toBe(false);
    await expect(other.dropBatch(BATCH.id)).rejects.toThrow(BATCH.id);
    expect(await ledger.batch(BATCH.id)).toEqual(readBy(ledger));
  });

  it('a batch that another run takes by now is not read by the one that slept over it', async () => {
    const { ledger, other } = open();
    await ledger.addBatch({ ...BATCH, takenBy: other.run });
    await expect(ledger.changeBatch(BATCH.id, { state: 'checking' })).rejects.toThrow('not this run');
    await other.changeBatch(BATCH.id, { state: 'checking' });
    expect(await ledger.batch(BATCH.id)).toMatchObject({ state: 'checking', takenBy: other.run });
  });

  it('a batch that is being paid keeps its rows, whoever would clear or refuse it', async () => {
    const { ledger } = open();
    await ledger.addBatch(readBy(ledger));
    await ledger.addRows(BATCH.id, newRows(2));
    await ledger.changeBatch(BATCH.id, { state: 'pricing' });
    await ledger.changeBatch(BATCH.id, { state: 'accepted' });
    await ledger.changeBatch(BATCH.id, { state: 'sending' });
    await expect(ledger.clearRows(BATCH.id)).rejects.toThrow('sending');
    await expect(ledger.refuseBatch(BATCH.id, '2026-11-20T09:00:00.000Z')).rejects.toThrow('sending');
    await expect(ledger.dropBatch(BATCH.id)).rejects.toThrow(BATCH.id);
    expect(await ledger.rows(BATCH.id, 0, 10)).toHaveLength(2);
  });
}

function binding(open: OpenLedgers): void {
  it('belongs to the service that was named first, whoever asks later', async () => {
    const { ledger, other } = open();
    expect(await ledger.bindTo('https://payouts.example')).toBe('https://payouts.example');
    expect(await other.bindTo('http://127.0.0.1:8080')).toBe('https://payouts.example');
    expect(await ledger.bindTo('https://payouts.example')).toBe('https://payouts.example');
  });
}
