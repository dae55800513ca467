// Small pictures beside words, drawn here so that nothing is asked of anybody: 16 by 16, as lines in the colour of the text. A reader by ear hears the word alone.

const PATHS = {
  todo: 'M3 4.5 4.2 5.7 6.5 3.2M8.5 4.5H13M3 11.5 4.2 12.7 6.5 10.2M8.5 11.5H13',
  drop: 'M8 10V2.5M5 5.2 8 2.5l3 2.7M2.5 10.5v3h11v-3',
  files: 'M3.5 2.5h6l3 3v8h-9zM9.5 2.5v3h3',
  approvals: 'M8 1.8 13 4v4c0 3-2 5-5 6.2C5 13 3 11 3 8V4zM5.8 8l1.6 1.6L10.4 6.5',
  held: 'M5.5 3v10M10.5 3v10',
  payees: 'M8 3a2.4 2.4 0 1 0 0 4.8A2.4 2.4 0 0 0 8 3M3.5 13.5c0-2.6 2-4.2 4.5-4.2s4.5 1.6 4.5 4.2',
  reports: 'M3 13.5h10M4.5 11V8M8 11V4M11.5 11V6.5',
  money: 'M2 4.5h12v7H2zM8 6.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6M4 8h.1M12 8h.1',
  schedules: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.2L10.2 9.5',
  reconcile: 'M2.5 5.5h9M9 3l2.5 2.5L9 8M13.5 10.5h-9M7 8l-2.5 2.5L7 13',
  profiles: 'M2.5 2.5h11v11h-11zM2.5 6.2h11M6.2 6.2v7.3M9.9 6.2v7.3',
  people:
    'M6 3a2.2 2.2 0 1 0 0 4.4A2.2 2.2 0 0 0 6 3M2 13c0-2.4 1.8-4 4-4s4 1.6 4 4M10.5 3.3a2.2 2.2 0 0 1 0 3.9M11.5 9.3c1.5.5 2.5 1.9 2.5 3.7',
  audit: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.2 3.2',
  settings: 'M2.5 5h5M10.5 5h3M2.5 11h3M8.5 11h5M9 3.5v3M7 9.5v3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ of }: { readonly of: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  );
}
