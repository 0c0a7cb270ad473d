/** What was asked of the station: still coming, refused, or there. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './failure.tsx'

interface LoadedProps<T> {
  query: { data: T | undefined; error: Error | null }
  children: (data: T) => ReactNode
}

export function Loaded<T>({ query, children }: LoadedProps<T>) {
  const { t } = useTranslation()
  const { data, error } = query
  // What was read before stays, with the reason why it is not renewed.
  return (
    <>
      <Failure error={error} />
      {data !== undefined ? children(data) : null}
      {data === undefined && error === null ? (
        <p className="quiet skeleton" role="status">
          {t('loading')}
        </p>
      ) : null}
    </>
  )
}
