// What ends a command although nothing is wrong with paydrop itself: each class is told in its own words, with an exit code of its own.
import { BatchFolderFault } from '../../inbox/batch-note.ts';

/** The copy of a file that is being paid is gone, or was changed. */
export function fileGone(batch: string, fileName: string): BatchFolderFault {
  const [en, fr] = [JSON.stringify(fileName), `« ${fileName} »`];
  return new BatchFolderFault({
    en: `The copy of ${en} in processing/${batch}/ of the workspace is gone or no longer what was taken. Put it back there, then run "paydrop resume". Nothing more is sent for it.`,
    fr: `La copie de ${fr} dans processing/${batch}/ de l'espace de travail a disparu ou n'est plus celle qui a été prise en charge. Remettez-la en place, puis lancez « paydrop resume ». Plus rien n'est envoyé pour ce fichier.`,
  });
}

/** What was recorded when the file was taken decides, and nothing that came into its folder since. */
export function saysOtherwise(batch: string): BatchFolderFault {
  return new BatchFolderFault({
    en: `The folder of batch ${batch} says otherwise than the ledger recorded when its file was taken: profile.yaml or .policy.json there was changed, added or removed. Put back what was there, then run "paydrop resume". Nothing more is sent for it.`,
    fr: `Le dossier du lot ${batch} dit autre chose que ce que le registre a noté à la prise en charge de son fichier : profile.yaml ou .policy.json y a été modifié, ajouté ou enlevé. Remettez-y ce qui s'y trouvait, puis lancez « paydrop resume ». Plus rien n'est envoyé pour ce lot.`,
  });
}

/** The list of its documents is written before anything else is done with a file. */
export function listGone(batch: string): BatchFolderFault {
  return new BatchFolderFault({
    en: `The note .documents.json in the folder of batch ${batch} is gone. Put it back from a copy of the folder, then run "paydrop resume". Nothing is sent for it.`,
    fr: `La note .documents.json dans le dossier du lot ${batch} a disparu. Remettez-la en place depuis une copie du dossier, puis lancez « paydrop resume ». Rien n'est envoyé pour ce lot.`,
  });
}

/** The ledger has forgotten batches; nothing may be sent before it is rebuilt. */
export class LedgerForgetful extends Error {
  override readonly name = 'LedgerForgetful';
}

/** The service did not tell of every row; the rebuild has to be repeated. */
export class RebuildUnfinished extends Error {
  override readonly name = 'RebuildUnfinished';
}

/** A reconciliation that was asked to stop: half of one would look as if the other half agreed. */
export class ReconciliationStopped extends Error {
  override readonly name = 'ReconciliationStopped';
}

/** Throws once the process is asked to stop. */
export function assertGoesOn(signal: AbortSignal): void {
  if (signal.aborted)
    throw new ReconciliationStopped('Stopped, and no answer was written. Run the same command again.');
}
