// The library of the package, in what every Node reads: an older one is told what is needed, and not which of its modules is missing.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7))
  throw new Error(
    `paydrop needs Node.js 24.7 or newer; this is ${process.versions.node}. Get it from https://nodejs.org.`,
  );

/** @type {typeof import('./index.ts')} */
const library = await import(new URL('../dist/index.js', import.meta.url).href);

export const {
  compose,
  httpPayoutService,
  isFault,
  loadConfig,
  Refused,
  signedPath,
  SIGNATURE_HEADER,
  signWebhook,
  silentLog,
  startSandbox,
  systemClock,
  Unanswered,
  Unavailable,
  undiciTransport,
  verifyWebhook,
} = library;
