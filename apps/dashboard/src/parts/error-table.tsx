import { useTranslation } from 'react-i18next'
import { meaningKeyOf, readable } from '../live/error-meaning.ts'
import { useFormat } from './use-format.ts'

export function ErrorTable({ errors }: { errors: { code: string; count: number }[] }) {
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
        {errors.map(({ code, count }) => (
          <tr key={code}>
            <td>
              <b title={code}>{readable(code)}</b>
              <p className="quiet">{t(meaningKeyOf(code))}</p>
              <div className="share" style={{ width: `${(100 * count) / most}%` }} />
            </td>
            <td className="number">{format.count(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
