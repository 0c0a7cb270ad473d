/** What changed between two captures of an address, word by word. */
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CaptureDiff, DiffBlockView } from '@minga/protocol'
import { readDiff, type DiffAsked } from '../../api/archive.ts'
import { FiguresList } from '../../parts/figures-list.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { useFormat } from '../../parts/use-format.ts'

export function ArchiveDiffScreen() {
  const { t } = useTranslation()
  const search = useSearch({ strict: false })
  const { url = '', before = 'previous', after = 'latest', raw = false } = search
  const query = useQuery({
    queryKey: ['archive-diff', url, before, after, raw],
    queryFn: () => readDiff({ url, before, after, raw }),
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
            <SeenBy diff={diff} asked={{ url, before, after, raw }} />
            <Difference diff={diff} />
          </>
        )}
      </Loaded>
    </>
  )
}

/** By whose eyes the two were compared, and the way to the other eyes. */
function SeenBy({ diff, asked }: { diff: CaptureDiff; asked: DiffAsked }) {
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

function Difference({ diff }: { diff: CaptureDiff }) {
  const { t } = useTranslation()
  const format = useFormat()
  const changed = diff.blocks.filter(({ kind }) => kind !== 'same')
  return (
    <>
      <section className="card">
        <FiguresList
          figures={[
            { label: t('archive.before'), value: format.moment(diff.before.capturedAt) },
            { label: t('archive.after'), value: format.moment(diff.after.capturedAt) },
            { label: t('archive.content'), value: format.percent(diff.content) },
            { label: t('archive.structural'), value: format.percent(diff.structural) },
            { label: t('archive.visual'), value: format.percent(diff.visual) },
          ]}
        />
      </section>
      <section className="card">
        <h2>{t(diff.changed ? 'archive.changed' : 'archive.unchanged')}</h2>
        {changed.length === 0 ? (
          <p className="quiet">{t('archive.noBlocks')}</p>
        ) : (
          <table className="diff">
            <caption className="unseen">{t('archive.diffTitle')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('archive.what')}</th>
                <th scope="col">{t('archive.before')}</th>
                <th scope="col">{t('archive.after')}</th>
              </tr>
            </thead>
            <tbody>
              {changed.map((block, i) => (
                <Block key={i} block={block} />
              ))}
            </tbody>
          </table>
        )}
      </section>
    </>
  )
}

function Block({ block }: { block: DiffBlockView }) {
  const { t } = useTranslation()
  const { kind, before, after, words = [] } = block
  const side = (not: 'added' | 'removed') =>
    words
      .filter((run) => run.kind !== not)
      .map((run, i) => <Run key={i} kind={run.kind} text={`${run.text} `} />)
  return (
    <tr>
      <th scope="row">{t(`archive.block.${kind}`)}</th>
      <td>
        {kind === 'edited' ? side('added') : null}
        {kind === 'removed' ? <Run kind="removed" text={before ?? ''} /> : null}
        {kind === 'moved' ? before : null}
      </td>
      <td>
        {kind === 'edited' ? side('removed') : null}
        {kind === 'added' ? <Run kind="added" text={after ?? ''} /> : null}
        {kind === 'moved' ? after : null}
      </td>
    </tr>
  )
}

function Run({ kind, text }: { kind: 'same' | 'added' | 'removed'; text: string }) {
  if (kind === 'added') return <ins>{text}</ins>
  return kind === 'removed' ? <del>{text}</del> : <>{text}</>
}
