/** The areas of the page, and the screens of the one that is open. Below 1024 px a button shows them. */
import { Link, useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { areaOf, areasFor, type Area } from '../../auth/navigation.ts'
import { useMe } from '../../auth/use-me.ts'
import { AreaIcon } from './area-icon.tsx'

/** Only what the visitor may do; the account comes last, or the door to get one. */
export function SideBar({ onGo }: { onGo: () => void }) {
  const { t } = useTranslation()
  const { me, isKnown } = useMe()
  const { pathname } = useLocation()
  const areas = areasFor(me?.actions ?? null)
  const open = areaOf(areas, pathname)
  return (
    <nav id="areas" aria-label={t('nav.label')}>
      <ul>
        {areas.map((area) => (
          <li key={area.name}>
            <Link
              to={area.screens[0]!.to}
              className={area === open ? 'area active' : 'area'}
              activeProps={{}}
              onClick={onGo}
              {...(area === open ? { 'aria-current': 'true' as const } : {})}
            >
              <AreaIcon name={area.name} />
              {area.name === 'account' ? me!.account.name : t(`nav.${area.name}`)}
            </Link>
            {area === open ? <Screens area={area} onGo={onGo} /> : null}
          </li>
        ))}
        {isKnown && me === null ? (
          <li>
            <Link to="/log-in" className="area" onClick={onGo}>
              <AreaIcon name="account" />
              {t('people.logIn')}
            </Link>
          </li>
        ) : null}
      </ul>
    </nav>
  )
}

function Screens({ area, onGo }: { area: Area; onGo: () => void }) {
  const { t } = useTranslation()
  if (area.screens.length < 2) return null
  return (
    <ul className="screens">
      {area.screens.map(({ to }) => (
        <li key={to}>
          <Link to={to} onClick={onGo}>
            {t(`nav.to.${to.slice(1)}`)}
          </Link>
        </li>
      ))}
    </ul>
  )
}
