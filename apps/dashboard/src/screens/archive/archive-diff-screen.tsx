/** What changed between two captures of an address: side by side or in one text, by word or by line. */
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CaptureDiff } from '@minga/protocol'
import { queryOf } from '../../api/call.ts'
import { station } from '../../api/station.ts'
import { parseArchiveParams } from './archive-params.ts'
import { DownloadLink } from '../../components/download-link.tsx'
import { FiguresList } from '../../components/figures-list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'
import { DiffView } from './archive-diff-view.tsx'

interface DiffAsked {
  url: string
  before: string
  after: string
  /** Everything counts, watched or not. */
  raw: boolean
}

const patchPath = ({ raw, ...captures }: DiffAsked): string =>
  `/captures/diff${queryOf({ ...captures, raw: raw || null, as: 'text' })}`

const readDiff = ({ raw, ...captures }: DiffAsked): Promise<CaptureDiff> =>
  station('GET /captures/diff', { query: { ...captures, raw: raw || null } })

export function ArchiveDiffScreen() {
  const { t } = useTranslation()
  const search = parseArchiveParams(useSearch({ strict: false }))
  const { url = '', before = 'previous', after = 'latest', raw = false } = search
  const asked = { url, before, after, raw }
  const query = useQuery({
    queryKey: ['archive-diff', url, before, after, raw],
    queryFn: () => readDiff(asked),
  })
  return (
    <>
      <h1>{t('archive.diffTitle')}</h1>
      <p className="address">
        <Link to="/archive/url" search={{ url }}>
          {url}
        </Link>
      </p>
      <Loaded query={query}>
        {(diff) => (
          <>
            <SeenBy diff={diff} asked={asked} />
            <Difference diff={diff} asked={asked} />
          </>
        )}
      </Loaded>
    </>
  )
}

interface DiffProps {
  diff: CaptureDiff
  asked: DiffAsked
}

/** By whose eyes the two were compared, and the way to the other eyes. */
function SeenBy({ diff, asked }: DiffProps) {
  const { t } = useTranslation()
  const { watch } = diff
  const { raw, ...captures } = asked
  if (watch === null && !raw) return <p className="quiet">{t('archive.seenByNobody')}</p>
  return (
    <p>
      {watch === null ? (
        t('archive.seenWhole')
      ) : (
        <Link to="/watches/$id" params={{ id: String(watch.id) }}>
          {t('archive.seenByWatch', { name: watch.name })}
        </Link>
      )}{' '}
      <Link to="/archive/diff" search={raw ? captures : { ...captures, raw: true }}>
        {t(raw ? 'archive.seeAsWatched' : 'archive.seeWhole')}
      </Link>
    </p>
  )
}

function headingOf({ changed, blocks }: DiffProps['diff']) {
  if (changed) return 'archive.changed'
  return blocks.some(({ isIgnored }) => isIgnored) ? 'archive.onlyNoise' : 'archive.unchanged'
}

function Difference({ diff, asked }: DiffProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { before, after } = diff
  const isChanged = diff.blocks.some(({ kind }) => kind !== 'same')
  return (
    <>
      <section className="card">
        <FiguresList
          figures={[
            { label: t('archive.before'), value: format.moment(before.capturedAt) },
            { label: t('archive.after'), value: format.moment(after.capturedAt) },
            { label: t('archive.content'), value: format.percent(diff.content) },
            { label: t('archive.structural'), value: format.percent(diff.structural) },
            { label: t('archive.visual'), value: format.percent(diff.visual) },
          ]}
        />
        <div className="actions">
          <DownloadLink
            path={patchPath(asked)}
            fileName={`${before.timestamp}-${after.timestamp}.diff`}
          >
            {t('archive.patch')}
          </DownloadLink>
          {[before, after].map(({ capturedAt }, i) => (
            <Link
              key={i}
              className="button"
              to="/archive/replay"
              search={{ url: diff.url, at: capturedAt }}
            >
              {t(i === 0 ? 'archive.replayBefore' : 'archive.replayAfter')}
            </Link>
          ))}
        </div>
      </section>
      <section className="card">
        <h2>{t(headingOf(diff))}</h2>
        {isChanged ? (
          <DiffView blocks={diff.blocks} />
        ) : (
          <p className="quiet">{t('archive.noBlocks')}</p>
        )}
      </section>
    </>
  )
}
