/** The groups by how often watches change, each with how many it has, as ways to narrow the list down. */
import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { FrequencyGroup } from '@minga/protocol'
import { useStation } from '../../api/use-station.ts'
import { useFormat } from '../../components/use-format.ts'

const DAYS = 365
const GROUPS: readonly FrequencyGroup[] = ['high', 'medium', 'low']

export function GroupLinks() {
  const { t } = useTranslation()
  const format = useFormat()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const { data } = useStation(['watch-groups', DAYS], 'GET /watch-groups', {
    query: { days: DAYS },
  })
  if (data === undefined || data.watches.length === 0) return null
  const shown = search['group']
  return (
    <nav aria-label={t('watchGroups.title')}>
      <ul className="groups">
        <li>
          <Link to="/watches" aria-current={shown === undefined ? 'true' : undefined}>
            {t('watch.all')}
          </Link>
        </li>
        {GROUPS.map((group) => (
          <li key={group}>
            <Link
              to="/watches"
              search={{ group }}
              aria-current={shown === group ? 'true' : undefined}
            >
              {t(`watchGroups.group.${group}`)}{' '}
              {format.count(data.rows.find((row) => row.group === group)?.sites ?? 0)}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/watch-groups">{t('watch.groupFigures')}</Link>
        </li>
      </ul>
    </nav>
  )
}
