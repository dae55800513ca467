// The ledger over PostgreSQL on a real server: the conformance suite.
import { exerciseLedger } from './exercise-ledger.ts';
import { processAt } from './machines.ts';
import { cutLife, openIn, ownServer } from './postgres-ledgers.ts';

const newSchema = ownServer();

exerciseLedger('the PostgreSQL ledger', async () => {
  const url = newSchema();
  let isThere = true;
  const ledger = await openIn(url, processAt({ pid: 10 }));
  const other = await openIn(
    url,
    processAt({ pid: 20 }, () => isThere),
  );
  const kill = async (): Promise<void> => {
    isThere = false;
    await cutLife(url, ledger.run);
  };
  return { ledger, other, kill };
});
