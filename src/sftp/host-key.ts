// The host key is pinned: who answers with another one is somebody else, whatever the name says, and gets neither password nor file.
import { createHash } from 'node:crypto';

/** A fingerprint as `ssh-keygen -lf` writes it: the hash in Base64, without padding. */
export const FINGERPRINT_FORM = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** The fingerprint of a host key as it travels. */
export function fingerprintOf(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}
