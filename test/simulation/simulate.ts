import { World } from './world.ts';
const t0 = performance.now();
const ends: Record<string, number> = {};
const n = Number(process.argv[2] ?? 20);
const from = Number(process.argv[3] ?? 1);
for (let i = from; i < from + n; i++) {
  const w = new World(String(i));
  await w.run();
  const recs = (await import('./ledger-copy.ts')).recordsIn(w.database);
  for (const r of recs) {
    const k = r.progress.stage + (r.progress.heldCode ? ':' + r.progress.heldCode : '');
    ends[k] = (ends[k] ?? 0) + 1;
  }
  for (const b of w.bugs) console.log(i, b);
  if (process.argv[4])
    for (const e of w.journal)
      console.log(JSON.stringify(e, (k, v) => (typeof v === 'bigint' ? String(v) : v)));
}
console.log(ends, (n / ((performance.now() - t0) / 1000)).toFixed(1) + '/s');
