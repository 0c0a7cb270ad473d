/** What was asked of the station: still coming, refused, or there. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './failure.tsx'

interface LoadedProps<T> {
  query: { data: T | undefined; error: Error | null; refetch?: () => unknown }
  children: (data: T) => ReactNode
}

export function Loaded<T>({ query, children }: LoadedProps<T>) {
  const { t } = useTranslation()
  const { data, error, refetch } = query
  // What was read before stays, with the reason why it is not renewed.
  return (
    <>
      <Failure
        error={error}
        {...(refetch === undefined ? {} : { onRetry: () => void refetch() })}
      />
      {data !== undefined ? children(data) : null}
      {data === undefined && error === null ? (
        <div className="skeleton lines" role="status">
          <span className="unseen">{t('loading')}</span>
          <i aria-hidden="true" />
          <i aria-hidden="true" />
          <i aria-hidden="true" />
        </div>
      ) : null}
    </>
  )
}
