/** The screens of the area that is open, when there are several. */
import { Link, useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { areaOf, areasFor } from '../people/navigation.ts'
import { useMe } from '../people/use-me.ts'

export function AreaNav() {
  const { t } = useTranslation()
  const { me } = useMe()
  const { pathname } = useLocation()
  const area = areaOf(areasFor(me?.actions ?? null), pathname)
  if (area === undefined || area.screens.length < 2) return null
  return (
    <nav className="area-nav" aria-label={t(`nav.${area.name}`)}>
      {area.screens.map(({ to }) => (
        <Link key={to} to={to}>
          {t(`nav.to.${to.slice(1)}`)}
        </Link>
      ))}
    </nav>
  )
}
