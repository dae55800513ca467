// What something costs, on a busy machine as on an idle one.

/** A clock in ms that runs while this process does: what others do meanwhile does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
