/** The views of placement. */
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'

const VIEWS = [
  ['/placement', 'place.nav.now'],
  ['/placement/hosts', 'place.nav.hosts'],
  ['/placement/epochs', 'place.nav.epochs'],
  ['/placement/federation', 'place.nav.federation'],
] as const

export function PlacementNav() {
  const { t } = useTranslation()
  return (
    <nav className="tab-nav" aria-label={t('place.title')}>
      {VIEWS.map(([to, key]) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/placement' }}>
          {t(key)}
        </Link>
      ))}
    </nav>
  )
}
