// Loaded before the program that is measured: at the end it writes down what the program used. It changes nothing except the time of a commit,
// by the microsecond that the measurement takes.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

const commitMs: number[] = [];
// eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with the database that it was called on.
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  const started = performance.now();
  exec.call(this, sql);
  if (sql === 'COMMIT') commitMs.push(performance.now() - started);
};

process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  commitMs.sort((a, b) => a - b);
  const at = (share: number): number => commitMs[Math.floor(commitMs.length * share)] ?? 0;
  const report = {
    cpuS: (userCPUTime + systemCPUTime) / 1e6,
    rssMb: maxRSS / 1024,
    loopDelayP99Ms: delay.percentile(99) / 1e6,
    commits: commitMs.length,
    commitP50Ms: at(0.5),
    commitP99Ms: at(0.99),
  };
  writeFileSync(process.env['BENCH_REPORT'] ?? '/dev/null', JSON.stringify(report));
});
