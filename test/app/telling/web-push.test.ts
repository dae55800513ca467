// The encryption of Web Push by the example of its standard, and which addresses are called at all.
import { describe, expect, it } from 'vitest';

import { isPushService } from '../../../src/app/config/notify-config.ts';
import { encryptPush } from '../../../src/app/notify/web-push.ts';

describe('Web Push', () => {
  it('encrypts the example of RFC 8291', () => {
    const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
    const body = encryptPush(
      'When I grow up, I want to be a watermelon',
      {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
      { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), ownKey: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw') },
    );
    expect(Buffer.from(body).toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  it('leads to the push services of browsers alone, or to those of the config instead', () => {
    const isCalled = (endpoint: string): boolean => isPushService(null, endpoint);
    expect(CALLED.filter((endpoint) => !isCalled(endpoint))).toEqual([]);
    expect(OTHERS.filter(isCalled)).toEqual([]);
    expect(isPushService(['https://push.example.com'], 'https://push.example.com/a')).toBe(true);
    expect(isPushService(['https://push.example.com'], CALLED[0])).toBe(false);
  });
});

const CALLED = [
  'https://fcm.googleapis.com/fcm/send/abc',
  'https://updates.push.services.mozilla.com/wpush/v2/abc',
  'https://web.push.apple.com/abc',
  'https://wns2-par02p.notify.windows.com/w/?token=abc',
] as const;

const OTHERS = [
  'http://fcm.googleapis.com/fcm/send/abc',
  'https://fcm.googleapis.com:8443/fcm/send/abc',
  'https://fcm.googleapis.com.example.com/abc',
  'https://examplepush.apple.com.evil.example/abc',
  'https://evilpush.apple.com/abc',
  'https://user@fcm.googleapis.com/abc',
  'https://127.0.0.1/abc',
  'https://169.254.169.254/latest',
];
