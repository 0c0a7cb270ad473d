/** Light, dark, or whatever the system says. */
export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const STORED_AS = 'minga:theme'

export function readTheme(): Theme {
  const stored = localStorage.getItem(STORED_AS)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORED_AS, theme)
  document.documentElement.dataset['theme'] = theme
  // Canvases do not follow style sheets: plots listen for this.
  window.dispatchEvent(new Event('minga:theme'))
}
