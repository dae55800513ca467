// Bugs at the doors by which files and messages of strangers come in: `npm run trial -- fuzz` has to notice each at its door, or `npm run trial -- attack` in its attack.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_DOORS: readonly Mutant[] = [
  {
    name: 'links in the inbox are taken for files',
    file: 'inbox/inbox-entries.ts',
    find: "import { lstat, readdir } from 'node:fs/promises';",
    replace: "import { readdir, stat as lstat } from 'node:fs/promises';",
    door: 'inbox',
  },
  {
    name: 'an approval counts wherever it lies',
    file: 'app/workflow/approval/take-approval-file.ts',
    find: "if (by === null) return refused('approval_not_allowed');",
    replace: "by ??= 'Marie';",
    door: 'approvals',
  },
  {
    name: 'a character that nobody can see ends the run',
    file: 'payouts/row-reader.ts',
    find: 'if (!UNPRINTABLE.test(text)) return null;',
    replace: "if (!UNPRINTABLE.test(text)) return null;\n  if (text !== '') throw new Error('unprintable');",
    door: 'run',
  },
  {
    name: 'an alias of a config that stands for nothing is a bug of ours',
    file: 'app/config/yaml-file.ts',
    find: 'throw notYaml(name, message, { cause: error, slip });',
    replace: 'throw error;',
    door: 'config',
  },
  {
    name: 'the address of a notification is decoded without care',
    file: 'app/daemon/answer-webhook.ts',
    find: "const callback = desk.callbacks.find(incoming.url ?? '');",
    replace: "const callback = desk.callbacks.find(decodeURIComponent(incoming.url ?? ''));",
    door: 'webhooks',
  },
  {
    name: 'what nobody has signed passes for signed',
    file: 'sftp/openpgp.ts',
    find: "if (signatures.length === 0) return 'missing';",
    replace: "if (signatures.length === 0) return 'good';",
    door: 'envelopes',
  },
  {
    name: 'a signature of somebody else is as good',
    file: 'sftp/openpgp.ts',
    find: "if (signature === 'wrong') return { fault: 'signature_wrong' };",
    replace: '',
    door: 'envelopes',
  },
  {
    name: 'names of a server may lead out of the folder',
    file: 'sftp/remote-files.ts',
    find: '    !WITH_MEANING.test(name) &&\n',
    replace: '',
    door: 'remote names',
  },
  {
    name: 'names of a server may lead out of the folder, and are followed',
    file: 'sftp/remote-files.ts',
    find: 'if (!isSafeName(name)) {',
    replace: 'if (isSafeName(name) === null) {',
    shownBy: 'test/sftp/lying-server.test.ts',
  },
  {
    name: 'what a program calls its file may lead out of the folder of its upload',
    file: 'app/intake/upload-folder.ts',
    find: "    if (!isSafeName(name)) throw new NotReceived('upload_name_unsafe');\n",
    replace: '',
    door: 'uploads',
  },
  {
    name: 'the place of a page is believed',
    file: 'contract/uploads.ts',
    find: 'const place = z.coerce.number().int().min(0).max(PLACE_MOST);',
    replace: 'const place = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER + 0 * PLACE_MOST);',
    shownBy: 'test/web/interface.test.ts',
  },
  {
    name: 'the limit of a day is asked by what was spent when the process began',
    file: 'ledger/tables/reservations.ts',
    find: '    sums.of(sumOfDay(day, currency)),\n',
    replace: `    (function* () {
      return ((globalThis as { first?: DecimalText }).first ??= yield* sums.of(sumOfDay(day, currency)));
    })(),\n`,
    attack: 'limits',
  },
  {
    name: 'who wrote an approval is not asked',
    file: 'app/workflow/approval/take-approval-file.ts',
    find: 'const by = account ?? approverOf(paydrop, path);',
    replace: "const by = account ?? approverOf(paydrop, path) ?? 'anybody';",
    attack: 'approvals',
  },
  {
    name: 'an order counts although its person was removed while it came',
    file: 'web/callers.ts',
    find: "if (session !== null && !door.sessions.isAlive(session.id)) throw new Problem('session_missing');",
    replace: 'void [session, door];',
    shownBy: 'test/web/decisions.test.ts',
  },
  {
    name: 'a profile says where the money goes',
    file: 'app/config/profile-file.ts',
    find: 'return NEVER_CONSTANT.includes(canonical) || ACCOUNTS.includes(canonical);',
    replace: 'return NEVER_CONSTANT.includes(canonical);',
    shownBy: 'test/app/profiles.test.ts',
  },
];
