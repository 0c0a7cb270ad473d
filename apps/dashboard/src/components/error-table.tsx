import type { ErrorView } from '@minga/protocol'
import { useTranslation } from 'react-i18next'
import { meaningKeyOf, readable } from '../live/error-meaning.ts'
import { Ago } from './ago.tsx'
import { useFormat } from './use-format.ts'

/** Errors by kind, the most frequent first, each with the address that it was met at last. */
export function ErrorTable({ errors }: { errors: readonly ErrorView[] }) {
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
