// Proposed profiles that wait for the reader: told in the menu and among what there is to do, and read by nobody who could not confirm them.
import type { ReadingProfile } from '../contract/columns.ts';
import type { List } from '../contract/schema.ts';
import { useData } from './data.ts';
import { may, useSession } from './session.ts';

export function useProposals(): readonly ReadingProfile[] {
  const { session } = useSession();
  const { data } = useData<List<ReadingProfile>>(may(session, 'treasurer', 'admin') ? '/profiles' : null, {
    kinds: ['profile'],
  });
  return (data?.data ?? []).filter(({ mayConfirm }) => mayConfirm);
}
