// One process of a simulation that is spread over several: runs its share and sends the sums to the one that started it.
import { runMany, type Many } from './run-many.ts';

// The model's refusals are thrown by the thousand, and nobody reads where from.
Error.stackTraceLimit = 0;

const many = JSON.parse(process.argv[2] ?? '') as Many;
await runMany(many, (part) => process.send?.(part));
