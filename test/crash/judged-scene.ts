// A scene for one test, and the end that every one of them must come to: all is paid once, and all books agree.
import { expect } from 'vitest';

import { checkAnswers } from '../invariants/check-answers.ts';
import { collectBatches, collectService } from './collect-evidence.ts';
import { openScene, type Scene, type SceneOptions } from './crash-scene.ts';

export async function withScene(options: SceneOptions, work: (scene: Scene) => Promise<void>): Promise<void> {
  const scene = await openScene(options);
  try {
    await work(scene);
  } finally {
    await scene.close();
  }
}

/** Done, or done with rows that the network failed, which these files hold. */
const FINISHED = [0, 4];

/** Goes on as a person would, first with what was not taken yet, and judges the end. */
export async function expectEveryRowPaidOnce(scene: Scene): Promise<void> {
  await scene.start(['run', ...scene.files]).ended;
  const { code, stderr } = await scene.start(['resume']).ended;
  expect(FINISHED, stderr).toContain(code);
  await expectSound(scene);
}

export async function expectSound(scene: Scene): Promise<void> {
  const { batches, missing } = await collectBatches(scene);
  expect(missing).toEqual([]);
  expect(checkAnswers(batches, await collectService(scene))).toEqual([]);
}
