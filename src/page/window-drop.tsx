// Files are taken wherever they are dropped, on every screen: a browser would leave the page for them otherwise, with all that was typed on it.
import { useEffect, useRef, useState } from 'preact/hooks';

import { t } from './language.ts';
import { go } from './router.tsx';
import { may, useSession } from './session.ts';
import { enqueue } from './upload-queue.ts';

export function WindowDrop() {
  const { session } = useSession();
  const [isOver, setOver] = useState(false);
  const isMaker = may(session, 'maker');
  // Each element within tells of its own coming and going.
  const depth = useRef(0);
  useEffect(() => {
    const move = (step: 1 | -1) => (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      depth.current = Math.max(0, depth.current + step);
      setOver(isMaker && depth.current > 0);
    };
    const [enter, leave] = [move(1), move(-1)];
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      depth.current = 0;
      setOver(false);
      const files = event.dataTransfer?.files;
      if (!isMaker || files === undefined || files.length === 0) return;
      enqueue(files);
      if (location.pathname !== '/drop') go('/drop');
    };
    addEventListener('dragenter', enter);
    addEventListener('dragleave', leave);
    addEventListener('dragover', over);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragenter', enter);
      removeEventListener('dragleave', leave);
      removeEventListener('dragover', over);
      removeEventListener('drop', drop);
    };
  }, [isMaker]);
  return isOver ? <div class="drop-over">{t('drop.anywhere')}</div> : null;
}
