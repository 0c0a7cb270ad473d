/** A small drawing next to the name of an area; the name says it, so screen readers pass it over. */
import type { Area } from '../../auth/navigation.ts'

const PATHS: Record<Area['name'] | 'menu' | 'search', string> = {
  overview: 'M4 13h7V4H4z M13 20h7v-9h-7z M13 8h7V4h-7z M4 20h7v-4H4z',
  collections: 'M4 7l8-4 8 4-8 4z M4 12l8 4 8-4 M4 17l8 4 8-4',
  archive: 'M4 8h16v12H4z M3 4h18v4H3z M10 12h4',
  watches: 'M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z M12 9a3 3 0 100 6 3 3 0 000-6z',
  wikis: 'M5 4h11a3 3 0 013 3v13H8a3 3 0 01-3-3z M5 17a3 3 0 013-3h11 M9 8h6',
  queries: 'M4 6c0-2 16-2 16 0v12c0 2-16 2-16 0z M4 6c0 2 16 2 16 0 M4 12c0 2 16 2 16 0',
  requests: 'M3 12h12 M11 7l5 5-5 5 M20 4v16',
  volunteers:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7z M2 20c0-4 3-6 7-6s7 2 7 6 M16 4.5a3.5 3.5 0 010 6.5 M18 14.5c2.5.6 4 2.5 4 5.5',
  station: 'M5 3h14v7H5z M5 14h14v7H5z M8 6.5h.01 M8 17.5h.01 M12 6.5h4 M12 17.5h4',
  account: 'M12 12a4 4 0 100-8 4 4 0 000 8z M4 21c0-4.5 3.5-7 8-7s8 2.5 8 7',
  menu: 'M4 6h16 M4 12h16 M4 18h16',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14z M16 16l5 5',
}

export function AreaIcon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
