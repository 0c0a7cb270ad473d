/** One version: how it was made, and its documents. */
import { Link, useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { ArchiveVersion, CaptureRow } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { useStation } from '../../api/use-station.ts'
import { wholePath } from '../../api/archive.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import type { ListColumn } from '../../components/list/list-column.ts'
import { pagesAfter } from '../../components/list/list-rows.ts'
import { ListCard } from '../../components/list/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { useReplay } from '../../components/use-replay.ts'
import { VersionMark } from './archive-versions-screen.tsx'

const ROWS = 100

export function ArchiveVersionScreen() {
  const { t } = useTranslation()
  const { id = '', number = '' } = useParams({ strict: false })
  const query = useStation(
    ['archive-version', id, number],
    'GET /archive/versions/{collection}/{number}',
    { params: { collection: id, number } },
  )
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
  const { collectionId, number, reason, durationMs, files, agents } = version
  const replay = useReplay(collectionId)?.page ?? null
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
        {(['wacz', 'cdxj'] as const).map((as) => (
          <DownloadLink
            key={as}
            path={wholePath(collectionId, as)}
            fileName={`collection-${collectionId}.${as}`}
          >
            {t(`archive.${as}`)}
          </DownloadLink>
        ))}
      </div>
    </section>
  )
}

function Documents({ id, number }: { id: string; number: string }) {
  const { t } = useTranslation()
  const columns = useColumns(id, number)
  return (
    <ListCard
      caption={t('archive.documents')}
      columns={columns}
      keyOf={(capture) => capture.id}
      fileName={`version-${id}-${number}`}
      pages={{
        key: ['archive-documents', id, number],
        limit: ROWS,
        read: pagesAfter<CaptureRow, number>(
          (afterId, limit) =>
            station('GET /archive/versions/{collection}/{number}/documents', {
              params: { collection: id, number },
              query: { afterId, limit },
            }),
          (capture) => capture.id,
        ),
      }}
      empty={<p className="quiet">{t('captures.none')}</p>}
    />
  )
}

function useColumns(id: string, number: string): ListColumn<CaptureRow>[] {
  const { t } = useTranslation()
  const replay = useReplay(Number(id))?.page ?? null
  return [
    {
      id: 'url',
      label: t('captures.page'),
      isAddress: true,
      cell: ({ url, title, capturedAt }) => (
        <Link to="/archive/url" search={{ url, at: capturedAt }}>
          {title ?? url}
        </Link>
      ),
    },
    { id: 'status', label: t('captures.status'), as: 'text' },
    { id: 'type', label: t('captures.type'), as: 'text', value: ({ mime }) => mime },
    { id: 'length', label: t('captures.size'), as: 'bytes' },
    {
      id: 'look',
      label: t('archive.look'),
      content: ({ url }) =>
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
}
