/** What was captured by media type, status and depth, and errors by kind. */
import type { FacetBar, ErrorView } from '@minga/protocol'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Ago } from '../../components/ago.tsx'
import { meaningKeyOf, readable } from '../../live/error-meaning.ts'
import { useStation } from '../../api/use-station.ts'
import type { Collection } from '../../api/api-types.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat } from '../../components/use-format.ts'

const EVERY_MS = 2_000

export function CollectionMix({ collection }: { collection: Collection }) {
  const { t } = useTranslation()
  const query = useStation(['facets', collection.id], 'GET /collections/{id}/facets', {
    params: { id: collection.id },
    refetchInterval: collection.state === 'running' ? EVERY_MS : false,
  })
  return (
    <Loaded query={query}>
      {({ types, statuses, depths, errors }) => (
        <div className="mix">
          <section className="card">
            <h2>{t('mix.types')}</h2>
            <BarTable bars={types} nameOf={(value) => t(`mix.type.${value}`)} hasBytes />
          </section>
          <section className="card">
            <h2>{t('mix.statuses')}</h2>
            <BarTable bars={statuses} nameOf={(value) => <StatusMark status={value} />} hasBytes />
          </section>
          <section className="card">
            <h2>{t('mix.depths')}</h2>
            <BarTable bars={depths} nameOf={(value) => depthName(value, t('mix.seeds'))} />
          </section>
          <section className="card" id="errors" ref={scrollToIfNamed}>
            <h2>{t('overview.errors')}</h2>
            <ErrorTable errors={errors} />
          </section>
        </div>
      )}
    </Loaded>
  )
}

/** It comes later than the page, when the browser has looked for what the address names. */
function scrollToIfNamed(section: HTMLElement | null): void {
  if (section !== null && window.location.hash === `#${section.id}`) section.scrollIntoView()
}

const depthName = (depth: string, seeds: string): string => (depth === '0' ? seeds : depth)

function StatusMark({ status }: { status: string }) {
  return <span className={`http s${status[0]}`}>{status}</span>
}

interface BarTableProps {
  bars: readonly FacetBar[]
  nameOf: (value: string) => ReactNode
  hasBytes?: boolean
}

/** A table whose rows carry a bar: the figures are there for everybody. */
function BarTable({ bars, nameOf, hasBytes = false }: BarTableProps) {
  const { t } = useTranslation()
  const format = useFormat()
  if (bars.length === 0) return <p className="quiet">{t('captures.none')}</p>
  const most = Math.max(...bars.map(({ count }) => count))
  return (
    <table className="bar-table">
      <thead className="unseen">
        <tr>
          <th scope="col">{t('mix.what')}</th>
          <th scope="col">{t('errors.count')}</th>
          {hasBytes ? <th scope="col">{t('figure.bytes')}</th> : null}
        </tr>
      </thead>
      <tbody>
        {bars.map(({ value, count, bytes }) => (
          <tr key={value}>
            <td>
              {nameOf(value)}
              <div className="length" style={{ width: `${(100 * count) / most}%` }} />
            </td>
            <td className="number">{format.count(count)}</td>
            {hasBytes ? <td className="number quiet">{format.bytes(bytes)}</td> : null}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Errors by kind, the most frequent first, each with the address that it was met at last. */
function ErrorTable({ errors }: { errors: readonly ErrorView[] }) {
  const { t } = useTranslation()
  const format = useFormat()
  if (errors.length === 0) return <p className="quiet">{t('errors.none')}</p>
  const most = errors[0]?.count ?? 1
  return (
    <table className="error-table">
      <thead>
        <tr>
          <th scope="col">{t('errors.kind')}</th>
          <th scope="col" className="number">
            {t('errors.count')}
          </th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ code, count, lastUrl, lastAt }) => (
          <tr key={code}>
            <td>
              <b title={code}>{readable(code)}</b> <code className="quiet">{code}</code>
              <p className="quiet">{t(meaningKeyOf(code))}</p>
              {lastUrl === null ? null : (
                <p className="address">
                  {t('lastExample')} {lastUrl}
                  {lastAt === null ? null : (
                    <span className="quiet">
                      <Ago at={lastAt} />
                    </span>
                  )}
                </p>
              )}
              <div className="share" style={{ width: `${(100 * count) / most}%` }} />
            </td>
            <td className="number">{format.count(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
