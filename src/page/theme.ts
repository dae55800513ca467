// Light or dark: the system's choice, unless the reader has chosen.
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_AS = 'paydrop.theme';

export function theme(): Theme {
  const kept = localStorage.getItem(KEPT_AS);
  return THEMES.find((each) => each === kept) ?? 'system';
}

export function applyTheme(): void {
  const chosen = theme();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEPT_AS, chosen);
  applyTheme();
}
