// Preloaded into a process (`--import`): its wall clock is ahead by PAYDROP_TEST_AHEAD_MS, as if so much time had passed since the processes before it.
const aheadMs = Number(process.env['PAYDROP_TEST_AHEAD_MS'] ?? 0);
const wallClock = Date.now.bind(Date);

Date.now = () => wallClock() + aheadMs;
