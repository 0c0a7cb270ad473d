/** One version: how it was made, and its documents. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ArchiveVersion, CaptureRow } from '@minga/protocol'
import { readDocuments, readVersion } from '../../api/archive.ts'
import { DataTable, type Column } from '../../parts/data-table.tsx'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { useFormat } from '../../parts/use-format.ts'
import { usePages } from '../../parts/use-pages.ts'
import { useReplay } from '../../parts/use-replay.ts'
import { VersionMark } from './archive-versions-screen.tsx'

const ROWS = 100

export function ArchiveVersionScreen() {
  const { t } = useTranslation()
  const { id = '', number = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: ['archive-version', id, number],
    queryFn: () => readVersion(id, number),
  })
  return (
    <>
      {query.data === undefined ? <h1 className="unseen">{t('archive.version')}</h1> : null}
      <Loaded query={query}>
        {(version) => (
          <>
            <Summary version={version} />
            <Documents id={id} number={number} />
          </>
        )}
      </Loaded>
    </>
  )
}

function Summary({ version }: { version: ArchiveVersion }) {
  const { t, i18n } = useTranslation()
  const format = useFormat()
  const replay = useReplay()
  const { collectionId, number, reason, durationMs, files, agents } = version
  const why = reason !== null && i18n.exists(`reason.${reason}`) ? t(`reason.${reason}`) : reason
  return (
    <section className="card summary">
      <header>
        <div>
          <p className="quiet">
            <Link to="/versions">{t('archive.versions')}</Link>
          </p>
          <h1>
            {version.name} · {number}
          </h1>
        </div>
        <VersionMark state={version.state} />
      </header>
      {why === null ? null : <p>{t('archive.why', { reason: why })}</p>}
      <FiguresList
        figures={[
          { label: t('collection.begun'), value: format.moment(version.startedAt) },
          ...(version.endedAt === null
            ? []
            : [{ label: t('collection.ended'), value: format.moment(version.endedAt) }]),
          ...(durationMs === null
            ? []
            : [{ label: t('archive.duration'), value: format.span(durationMs) }]),
          { label: t('archive.documents'), value: format.count(version.documents) },
          { label: t('captures.size'), value: format.bytes(version.bytes) },
          { label: t('archive.failed'), value: format.count(version.failed) },
          { label: t('archive.agents'), value: format.count(agents.length) },
          { label: t('archive.files'), value: files.join(', ') || t('figure.unknown') },
        ]}
      />
      <div className="actions">
        {replay === null ? null : (
          <a
            className="button"
            href={`${replay}/view/version/${collectionId}/${number}`}
            target="_blank"
            rel="noreferrer"
          >
            {t('archive.replayVersion')}
          </a>
        )}
      </div>
    </section>
  )
}

function Documents({ id, number }: { id: string; number: string }) {
  const { t } = useTranslation()
  const format = useFormat()
  const replay = useReplay()
  const pages = usePages<CaptureRow, number>({
    key: ['archive-documents', id, number],
    rows: ROWS,
    read: (afterId, limit) => readDocuments({ id, number }, afterId, limit),
    cursorOf: (capture) => capture.id,
  })
  const columns: Column<CaptureRow>[] = [
    {
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, title, capturedAt }) => (
        <Link to="/archive/url" search={{ url, at: capturedAt }}>
          {title ?? url}
        </Link>
      ),
    },
    { label: t('captures.status'), cell: ({ status }) => status },
    { label: t('captures.type'), cell: ({ mime }) => mime },
    { label: t('captures.size'), isNumber: true, cell: ({ length }) => format.bytes(length) },
    {
      label: t('archive.look'),
      cell: ({ url }) =>
        replay === null ? null : (
          <a
            href={`${replay}/view/version/${id}/${number}/${url}`}
            target="_blank"
            rel="noreferrer"
            aria-label={t('archive.replayNamed', { url })}
          >
            {t('archive.replay')}
          </a>
        ),
    },
  ]
  return (
    <section className="card">
      <h2>{t('archive.documents')}</h2>
      <Loaded query={pages.query}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t('captures.none')}</p>
          ) : (
            <DataTable
              caption={t('archive.documents')}
              columns={columns}
              rows={rows}
              keyOf={(capture) => capture.id}
            />
          )
        }
      </Loaded>
      <MoreButton pages={pages} />
    </section>
  )
}
