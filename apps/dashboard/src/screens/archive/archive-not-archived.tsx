/** What to do about an address that is not in the archive. */
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { NotArchivedView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { useMe } from '../../auth/use-me.ts'
import { Failure } from '../../components/failure.tsx'
import { useChange } from '../../components/use-change.ts'
import { useFormat } from '../../components/use-format.ts'

interface NotArchivedProps {
  missing: NotArchivedView
  /** The screen has its heading already. */
  isBelow?: boolean
}

export function NotArchived({ missing, isBelow = false }: NotArchivedProps) {
  const { t } = useTranslation()
  const format = useFormat()
  const { url, variants, sameHost } = missing
  return (
    <section className="card">
      {isBelow ? <h2>{t('archive.notArchived')}</h2> : <h1>{t('archive.notArchived')}</h1>}
      <p className="address">{url}</p>
      <Collect url={url} />
      {variants.length === 0 ? null : (
        <>
          <h2>{t('archive.variants')}</h2>
          <ul>
            {variants.map((capture) => (
              <li key={capture.url} className="address">
                <Link to="/archive/url" search={{ url: capture.url, at: capture.capturedAt }}>
                  {capture.url}
                </Link>{' '}
                <span className="quiet">{format.moment(capture.capturedAt)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {sameHost.length === 0 ? null : (
        <>
          <h2>{t('archive.sameHost')}</h2>
          <ul>
            {sameHost.map((one) => (
              <li key={one.url} className="address">
                <Link to="/archive/url" search={{ url: one.url }}>
                  {one.title ?? one.url}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      <Link to="/archive">{t('archive.back')}</Link>
    </section>
  )
}

function Collect({ url }: { url: string }) {
  const { t } = useTranslation()
  const { may } = useMe()
  const navigate = useNavigate()
  const collect = useChange(async () => {
    const { id } = await station('POST /collections', {
      body: { seeds: [url], scope: 'page', existing: 'continue' },
    })
    await navigate({ to: '/collections/$id', params: { id: String(id) } })
  }, [])
  if (!may('collections:write')) return <p className="quiet">{t('archive.collectNeeds')}</p>
  return (
    <>
      <p>{t('archive.collectText')}</p>
      <div className="actions">
        <Button
          className="primary"
          isDisabled={collect.isPending}
          onPress={() => collect.mutate(undefined)}
        >
          {t('archive.collect')}
        </Button>
      </div>
      <Failure error={collect.error} />
    </>
  )
}
