// Evaluated anew for every file of tests, whatever the worker keeps.
import { afterEach } from 'vitest';

import { closeAll } from '../test/at-end.ts';

afterEach(closeAll);
