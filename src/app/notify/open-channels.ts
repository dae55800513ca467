// The channels that the config asks for, each opened once.
import type { ChannelName } from '../../ledger/notices.ts';
import type { Config } from '../config/config.ts';
import type { Channel } from './channel.ts';
import { emailChannel } from './email-channel.ts';
import { hookChannel } from './hook-channel.ts';

export function openChannels({ notify, notifySecrets }: Config): ReadonlyMap<ChannelName, Channel> {
  const { email, hook } = notify;
  const channels = [
    ...(email === undefined ? [] : [emailChannel(email, notifySecrets?.smtpPassword ?? null)]),
    ...(hook === undefined ? [] : [hookChannel(hook, notifySecrets?.hookSecret ?? null)]),
  ];
  return new Map(channels.map((channel) => [channel.name, channel]));
}
