/** Versions of sites, newest first, and two of them chosen to be compared. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { ArchiveVersion } from '@minga/protocol'
import { readVersions } from '../../api/archive.ts'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Mark, type MarkKind } from '../../parts/mark.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'

const ROWS = 50

export function ArchiveVersionsScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<ArchiveVersion[]>([])
  const pages = usePages<ArchiveVersion, number>({
    key: ['archive-versions'],
    rows: ROWS,
    read: readVersions,
    cursorOf: ({ collectionId }) => collectionId,
  })
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
        <Loaded query={pages.query}>
          {(versions) =>
            versions.length === 0 ? (
              <p className="quiet">{t('archive.noVersions')}</p>
            ) : (
              <DataTable
                caption={t('archive.versions')}
                columns={columns}
                rows={versions}
                keyOf={nameOf}
              />
            )
          }
        </Loaded>
        <MoreButton pages={pages} />
      </section>
    </>
  )
}

const nameOf = ({ collectionId, number }: ArchiveVersion): string => `${collectionId}/${number}`

const isSame = (a: ArchiveVersion, b: ArchiveVersion): boolean => nameOf(a) === nameOf(b)

function useColumns(
  chosen: readonly ArchiveVersion[],
  choose: (version: ArchiveVersion, isChosen: boolean) => void,
): Column<ArchiveVersion>[] {
  const { t } = useTranslation()
  const format = useFormat()
  return [
    {
      label: t('archive.choose'),
      cell: (version) => (
        <input
          type="checkbox"
          aria-label={t('archive.chooseNamed', { name: version.name, number: version.number })}
          checked={chosen.some((one) => isSame(one, version))}
          onChange={(event) => choose(version, event.target.checked)}
        />
      ),
    },
    {
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
    { label: t('device.stateLabel'), cell: ({ state }) => <VersionMark state={state} /> },
    { label: t('collection.begun'), cell: ({ startedAt }) => format.moment(startedAt) },
    {
      label: t('archive.documents'),
      isNumber: true,
      cell: ({ documents }) => format.count(documents),
    },
    { label: t('captures.size'), isNumber: true, cell: ({ bytes }) => format.bytes(bytes) },
  ]
}

const MARKS: Record<ArchiveVersion['state'], MarkKind> = {
  waiting: 'quiet',
  running: 'good',
  paused: 'warn',
  complete: 'info',
  truncated: 'warn',
  cancelled: 'bad',
}

export function VersionMark({ state }: Pick<ArchiveVersion, 'state'>) {
  const { t } = useTranslation()
  return <Mark kind={MARKS[state]} text={t(`archive.state.${state}`)} />
}
