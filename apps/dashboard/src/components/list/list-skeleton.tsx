/** As many lines as a list begins with, so that nothing jumps when it comes. */
import { useTranslation } from 'react-i18next'

const LINES = 6

export function ListSkeleton({ columns }: { columns: number }) {
  const { t } = useTranslation()
  return (
    <div className="skeleton list-skeleton" role="status">
      <span className="unseen">{t('loading')}</span>
      {Array.from({ length: LINES }, (_, line) => (
        <div key={line} aria-hidden="true">
          {Array.from({ length: Math.min(columns, 6) }, (__, column) => (
            <i key={column} />
          ))}
        </div>
      ))}
    </div>
  )
}
