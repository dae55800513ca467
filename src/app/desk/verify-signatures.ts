// What `doctor` says of the signatures of people: each is verified again from what is kept, without anybody's help.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { joinWords } from '../../base/language.ts';
import { isSameName } from '../../base/person-name.ts';
import { questionDigest } from '../../ledger/approval.ts';
import { sentence } from '../../messages/messages.ts';
import type { Paydrop } from '../parts.ts';
import type { Finding } from './finding.ts';
import { openDoor } from './open-desk.ts';

/** Every approval that was signed at the page is verified again from what is kept, and the log of access with it. */
export async function examineSignatures({ config, ledger, workspace }: Paydrop): Promise<Finding> {
  const name = 'signatures';
  const batches = await ledger.batches();
  const isSigned = batches.some(
    ({ approval }) => approval?.kind === 'asked' && approval.given?.evidence !== undefined,
  );
  if (!isSigned && !existsSync(join(workspace.root, 'people.sqlite')))
    return { name, ok: true, words: sentence('doctor.signatures', { verified: 0 }) };
  const door = await openDoor(config);
  try {
    const [unsound, unknown]: [string[], string[]] = [[], []];
    let verified = 0;
    for (const { approval, id } of batches) {
      const given = approval?.kind === 'asked' ? approval.given : null;
      if (approval?.kind !== 'asked' || given?.evidence === undefined) continue;
      const { evidence } = given;
      const found = await door.passkeys.verify(evidence);
      const isOfQuestion = evidence.digest === questionDigest(id, approval);
      if (found === null) unknown.push(id);
      else if (!found.isSound || !isOfQuestion || !isSameName(found.person, given.by)) unsound.push(id);
      else verified += 1;
    }
    const { isWhole, seq } = door.accessLog();
    const faults = [
      ...(unsound.length === 0
        ? []
        : [sentence('doctor.signatures.unsound', { batches: unsound.join(', ') })]),
      ...(unknown.length === 0
        ? []
        : [sentence('doctor.signatures.unknown', { batches: unknown.join(', ') })]),
      ...(isWhole ? [] : [sentence('doctor.accessLog', { seq })]),
    ];
    const words = faults.length === 0 ? sentence('doctor.signatures', { verified }) : joinWords(faults);
    return { name, ok: faults.length === 0, words };
  } finally {
    door.close();
  }
}
