// Carries out plans by statements whose answers come in time.
import { carryOutInTime, type Plan } from '../plan.ts';
import type { Query } from './connect.ts';

export function carryOutBy<T>(query: Query, plan: Plan<T>): Promise<T> {
  return carryOutInTime(plan, ({ text, values }) => query(text, values));
}
