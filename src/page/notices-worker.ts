// The service worker of notices: shows what comes by Web Push, and opens the file at the page. It serves nothing and keeps nothing, so that no part of the page
// ever comes from it.

type PushEvent = Event & {
  readonly data: { json(): Partial<Readonly<Record<'title' | 'path' | 'tag', string>>> } | null;
  waitUntil(work: Promise<unknown>): void;
};
type ClickEvent = Event & {
  readonly notification: Notification;
  waitUntil(work: Promise<unknown>): void;
};

const worker = globalThis as unknown as {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { openWindow(url: string): Promise<unknown> };
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
};

worker.addEventListener('push', (event) => {
  const { title = 'paydrop', path = '/', tag = '' } = event.data?.json() ?? {};
  event.waitUntil(worker.registration.showNotification(title, { tag, data: path, icon: '/assets/icon.svg' }));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  // A path of this page, whatever it says.
  const { pathname } = new URL(String(event.notification.data), location.origin);
  event.waitUntil(worker.clients.openWindow(pathname));
});
