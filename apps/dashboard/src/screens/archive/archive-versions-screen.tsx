/** Versions of sites, newest first, and two of them chosen to be compared. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchiveVersion } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { List } from '../../components/list/list.tsx'
import { StatusBadge, type StatusKind } from '../../components/status-badge.tsx'

const ROWS = 50

export function ArchiveVersionsScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<ArchiveVersion[]>([])
  const columns = useColumns(chosen, (version, isChosen) =>
    setChosen(
      isChosen ? [...chosen, version].slice(-2) : chosen.filter((one) => !isSame(one, version)),
    ),
  )
  const compare = (): void => {
    const [before, after] = chosen.toSorted((a, b) => a.startedAt - b.startedAt)
    const search = { before: nameOf(before!), after: nameOf(after!) }
    void navigate({ to: '/archive/compare', search })
  }
  return (
    <>
      <h1>{t('archive.versions')}</h1>
      <p className="quiet">{t('archive.versionsLead')}</p>
      <section className="card">
        <div className="actions">
          <Button className="primary" isDisabled={chosen.length !== 2} onPress={compare}>
            {t('archive.compare')}
          </Button>
          <span className="quiet" role="status">
            {t('archive.chosen', { count: chosen.length })}
          </span>
        </div>
        <List
          caption={t('archive.versions')}
          columns={columns}
          keyOf={nameOf}
          fileName="versions"
          pages={{
            key: ['archive-versions'],
            limit: ROWS,
            read: pagesAfter<ArchiveVersion, number>(
              (before, limit) => station('GET /archive/versions', { query: { before, limit } }),
              ({ collectionId }) => collectionId,
            ),
          }}
          empty={
            <EmptyState title={t('archive.noVersions')}>
              <Link to="/new" className="button primary">
                {t('archive.collectSomething')}
              </Link>
            </EmptyState>
          }
        />
      </section>
    </>
  )
}

const nameOf = ({ collectionId, number }: ArchiveVersion): string => `${collectionId}/${number}`

const isSame = (a: ArchiveVersion, b: ArchiveVersion): boolean => nameOf(a) === nameOf(b)

function useColumns(
  chosen: readonly ArchiveVersion[],
  choose: (version: ArchiveVersion, isChosen: boolean) => void,
): ListColumn<ArchiveVersion>[] {
  const { t } = useTranslation()
  return [
    {
      id: 'choose',
      label: t('archive.choose'),
      content: (version) => (
        <input
          type="checkbox"
          aria-label={t('archive.chooseNamed', { name: version.name, number: version.number })}
          checked={chosen.some((one) => isSame(one, version))}
          onChange={(event) => choose(version, event.target.checked)}
        />
      ),
    },
    {
      id: 'version',
      value: ({ name, number }) => `${name} ${number}`,
      label: t('archive.version'),
      isAddress: true,
      cell: ({ collectionId, number, name }) => (
        <Link
          to="/versions/$id/$number"
          params={{ id: String(collectionId), number: String(number) }}
        >
          {name} · {number}
        </Link>
      ),
    },
    {
      id: 'state',
      label: t('device.stateLabel'),
      cell: ({ state }) => <VersionMark state={state} />,
    },
    { id: 'startedAt', label: t('collection.begun'), as: 'moment' },
    { id: 'documents', label: t('archive.documents'), as: 'count' },
    { id: 'bytes', label: t('captures.size'), as: 'bytes' },
  ]
}

const MARKS: Record<ArchiveVersion['state'], StatusKind> = {
  waiting: 'quiet',
  running: 'good',
  paused: 'warn',
  complete: 'info',
  truncated: 'warn',
  failed: 'bad',
  cancelled: 'bad',
}

export function VersionMark({ state }: Pick<ArchiveVersion, 'state'>) {
  const { t } = useTranslation()
  return <StatusBadge kind={MARKS[state]} text={t(`archive.state.${state}`)} />
}
